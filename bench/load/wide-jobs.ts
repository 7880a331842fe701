// Many runsync of 1 MB at the same time, with workers that answer each with its input. Its argument is one
// JSON object. It prints how many completed.
interface Options {
  readonly port: number;
  readonly endpoint: string;
  readonly key: string;
  readonly token: string;
  readonly count: number;
}

const { port, endpoint, key, token, count }: Options = JSON.parse(process.argv[2] ?? "{}");
const WORKERS = 16;
const body = Buffer.from(`{"input":{"a":"${"x".repeat(1_048_576 - 18)}"}}`);
const base = `http://127.0.0.1:${port}/v2/${endpoint}`;
const isOver = new AbortController();

const workers = Array.from({ length: WORKERS }, (_, index) => work(`w${index}`).catch(() => undefined));
const statuses = await Promise.all(Array.from({ length: count }, submit));
isOver.abort();
await Promise.all(workers);
const completed = statuses.filter((status) => status === "COMPLETED").length;
console.log(`completed ${completed} of ${statuses.length}`);

async function submit(): Promise<string> {
  const headers = { authorization: key, "content-type": "application/json" };
  const response = await fetch(`${base}/runsync`, { method: "POST", headers, body });
  return /"status":"([A-Z_]+)"/.exec(await response.text())?.[1] ?? String(response.status);
}

async function work(name: string): Promise<void> {
  const options = { headers: { authorization: token }, signal: isOver.signal };
  while (!isOver.signal.aborted) {
    const taken = await fetch(`${base}/job-take/${name}?job_in_progress=0`, options);
    const text = await taken.text();
    const id = /"id":"([^"]+)"/.exec(text.slice(0, 100))?.[1];
    if (id === undefined) continue;
    const output = `{"output":${text.slice(text.indexOf('"input":') + 8)}`;
    const done = { method: "POST", headers: { authorization: token }, body: output };
    await (await fetch(`${base}/job-done/${name}/${id}`, done)).text();
  }
}
