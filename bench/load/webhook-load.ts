// Submits so many jobs a second, takes them with 32 workers' calls and reports them at once; prints how long
// it was from the submission to the hand-out. With ports each job has the webhook of one of them.
const [url = "", endpoint = "", key = "", token = "", rate = "", seconds = "", ...ports] =
  process.argv.slice(2);
const WORKERS = 32;
const jobs = Number(rate) * Number(seconds);

const submittedAt = new Map<number, number>();
const waits: number[] = [];
let isOver = false;

async function submit(number: number): Promise<void> {
  const webhook =
    ports.length === 0 ? {} : { webhook: `http://127.0.0.1:${ports[number % ports.length]}/hook` };
  submittedAt.set(number, performance.now());
  const response = await fetch(`${url}/v2/${endpoint}/run`, {
    method: "POST",
    headers: { authorization: key, "content-type": "application/json" },
    body: JSON.stringify({ input: { number, prompt: "x".repeat(270) }, ...webhook }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
}

async function work(name: string): Promise<void> {
  const headers = { authorization: token };
  while (!isOver) {
    const answer = await fetch(`${url}/v2/${endpoint}/job-take/${name}?job_in_progress=0`, { headers });
    if (answer.status === 204) continue;
    const { id, input } = (await answer.json()) as { id: string; input: { number: number } };
    waits.push(performance.now() - (submittedAt.get(input.number) ?? 0));
    await fetch(`${url}/v2/${endpoint}/job-done/${name}/${id}?isStream=false`, {
      method: "POST",
      headers,
      body: '{"output":{"text":"done"}}',
    });
    if (waits.length === jobs) finish();
  }
}

function finish(): void {
  isOver = true;
  waits.sort((a, b) => a - b);
  const at = (share: number): number => waits[Math.floor((waits.length - 1) * share)] ?? 0;
  console.log(JSON.stringify({ p50: at(0.5), p90: at(0.9), p99: at(0.99) }));
}

for (let index = 0; index < WORKERS; index++) void work(`w${index}`);
const startedAt = performance.now();
for (let sent = 0; sent < jobs;) {
  const due = Math.min(jobs, Math.floor(((performance.now() - startedAt) / 1_000) * Number(rate)));
  for (; sent < due; sent++) void submit(sent);
  await Bun.sleep(2);
}
