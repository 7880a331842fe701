// Large jobs one after the other: in by runsync, to a worker and back; or, of the kind `echo`, requests that
// an echo answers. Its argument is one JSON object. It prints the jobs a second.
interface Options {
  readonly port: number;
  readonly endpoint?: string;
  readonly key?: string;
  readonly token?: string;
  readonly kind: "string" | "arrays" | "echo";
  readonly seconds: number;
  readonly bytes: number;
}

const options: Options = JSON.parse(process.argv[2] ?? "{}");
const { port, endpoint = "", key = "", token = "", kind, seconds, bytes } = options;
const value =
  kind === "arrays" ? `[${"[],".repeat(Math.floor(bytes / 3) - 20)}[]]` : `"${"x".repeat(bytes - 40)}"`;
const input = Buffer.from(`{"input":{"a":${value}}}`);
const output = Buffer.from(`{"output":${value}}`);
const base = `http://127.0.0.1:${port}/v2/${endpoint}`;
const json = { "content-type": "application/json" };
const one = kind === "echo" ? echo : wholeJob;

await one();
console.log("ready");
let jobs = 0;
const startedAt = performance.now();
for (const end = startedAt + seconds * 1_000; performance.now() < end; jobs++) await one();
console.log(`${(jobs * 1_000) / (performance.now() - startedAt)} jobs/s`);

async function echo(): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/echo`, { method: "POST", body: input });
  await response.arrayBuffer();
}

async function wholeJob(): Promise<void> {
  const headers = { authorization: key, ...json };
  const call = fetch(`${base}/runsync`, { method: "POST", headers, body: input });
  const id = await takenJob();
  const done = { method: "POST", headers: { authorization: token }, body: output };
  await (await fetch(`${base}/job-done/w1/${id}`, done)).text();
  await (await call).arrayBuffer();
}

async function takenJob(): Promise<string> {
  for (;;) {
    const headers = { authorization: token };
    const response = await fetch(`${base}/job-take/w1?job_in_progress=0`, { headers });
    const id = /"id":"([^"]+)"/.exec((await response.text()).slice(0, 100))?.[1];
    if (id !== undefined) return id;
  }
}
