// Whole jobs of 20 MB one after the other: in by runsync, to a worker and back. Says how many there were in
// the time that it was given.
const [port = "", endpoint = "", key = "", token = "", kind = "", seconds = ""] = process.argv.slice(2);
const SIZE = 20 * 1_048_576;
const value =
  kind === "string" ? `"${"x".repeat(SIZE - 40)}"` : `[${"[],".repeat(Math.floor(SIZE / 3) - 20)}[]]`;
const input = Buffer.from(`{"input":{"a":${value}}}`);
const output = Buffer.from(`{"output":${value}}`);
const base = `http://127.0.0.1:${port}/v2/${endpoint}`;
const json = { "content-type": "application/json" };

console.log("ready");
let jobs = 0;
for (const end = performance.now() + Number(seconds) * 1_000; performance.now() < end; jobs++) {
  const headers = { authorization: key, ...json };
  const call = fetch(`${base}/runsync`, { method: "POST", headers, body: input });
  const id = await takenJob();
  const done = { method: "POST", headers: { authorization: token }, body: output };
  await (await fetch(`${base}/job-done/w1/${id}`, done)).text();
  await (await call).arrayBuffer();
}
console.log(`jobs ${jobs}`);

async function takenJob(): Promise<string> {
  for (;;) {
    const headers = { authorization: token };
    const response = await fetch(`${base}/job-take/w1?job_in_progress=0`, { headers });
    const id = /"id":"([^"]+)"/.exec((await response.text()).slice(0, 100))?.[1];
    if (id !== undefined) return id;
  }
}
