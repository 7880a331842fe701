// Calls each operation as often as its rate limit allows, all at the same time and evenly. It prints for
// each how many calls failed and what they waited. Its argument is one JSON object.
import type { LimitedOperation } from "../../src/domain/rate-limits.ts";

interface Options {
  readonly base: string;
  readonly key: string;
  /** Endpoints: one with a worker, one whose jobs wait to be cancelled, one whose queue is purged. */
  readonly main: string;
  readonly waiting: string;
  readonly purged: string;
  readonly seconds: number;
  /** Calls a second for each operation; `management` is all of /v1. */
  readonly rates: Readonly<Record<LimitedOperation | "management", number>>;
}

const options: Options = JSON.parse(process.argv[2] ?? "{}");
const { base, key, main, waiting, purged, seconds, rates } = options;
const headers = { authorization: key, "content-type": "application/json" };
const SAMPLES = 20;
const FAILING = 200;
/** Until the calls of the preparation no longer count, ms. */
const WINDOW = seconds > 2 ? 10_500 : 0;

const send = (path: string, body?: object): Promise<Response> =>
  fetch(`${base}${path}`, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });

const job = { input: { prompt: "x".repeat(270) } };
const chat = { model: "bench", messages: [{ role: "user", content: "x".repeat(200) }] };
const done = await submitted(main, SAMPLES, job);
const failing = await submitted(main, FAILING, { input: { fail: true } });
const cancelled = await submitted(waiting, Math.ceil(rates.cancel * seconds) + 1, job);
for (const id of [...done, ...failing]) await ended(id);
await Bun.sleep(WINDOW);

const v2 = `/v2/${main}`;
const pick = (ids: readonly string[], n: number): string => ids[n % ids.length] ?? "";
const calls: Readonly<Record<keyof Options["rates"], (n: number) => Promise<Response>>> = {
  run: () => send(`${v2}/run`, job),
  runsync: () => send(`${v2}/runsync`, job),
  status: (n) => send(`${v2}/status/${pick(done, n)}`),
  "status-sync": (n) => send(`${v2}/status-sync/${pick(done, n)}`),
  stream: (n) => send(`${v2}/stream/${pick(done, n)}`),
  cancel: (n) => send(`/v2/${waiting}/cancel/${pick(cancelled, n)}`, {}),
  retry: (n) => send(`${v2}/retry/${pick(failing, n)}`, {}),
  "purge-queue": () => send(`/v2/${purged}/purge-queue`, {}),
  health: () => send(`${v2}/health`),
  openai: () => send(`${v2}/openai/v1/chat/completions`, chat),
  requests: () => send(`${v2}/requests?limit=10`),
  management: () => send(`/v1/endpoints/${main}`),
};

const results = await Promise.all(
  Object.entries(calls).map(([name, call]) => paced(name, rates[name as keyof Options["rates"]], call)),
);
console.log(`results ${JSON.stringify(results)}`);

/** Waits count from the moment a call is due. */
async function paced(name: string, rate: number, call: (n: number) => Promise<Response>) {
  const waits: number[] = [];
  const pending: Promise<void>[] = [];
  let errors = 0;
  let firstError = "";
  const count = Math.max(1, Math.floor(rate * seconds));
  const startedAt = performance.now() + Math.random() * 50;
  const one = async (n: number, due: number): Promise<void> => {
    const response = await call(n);
    const text = await response.text();
    waits.push(performance.now() - due);
    if (response.ok) return;
    errors++;
    firstError ||= `${response.status} ${text.slice(0, 200)}`;
  };
  for (let n = 0; n < count; n++) {
    const due = startedAt + (n * 1_000) / rate;
    const early = due - performance.now();
    if (early > 0) await Bun.sleep(early);
    pending.push(one(n, due));
  }
  await Promise.all(pending);
  waits.sort((a, b) => a - b);
  const at = (share: number): number => waits[Math.min(count - 1, Math.floor(count * share))] ?? 0;
  return { name, count, errors, firstError, p50: at(0.5), p99: at(0.99), max: at(1) };
}

async function submitted(endpoint: string, count: number, body: object): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const response = await send(`/v2/${endpoint}/run`, body);
    if (!response.ok) throw new Error(await response.text());
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

async function ended(id: string): Promise<void> {
  for (;;) {
    const { status } = (await (await send(`/v2/${main}/status/${id}`)).json()) as { status: string };
    if (status === "COMPLETED" || status === "FAILED") return;
    await Bun.sleep(10);
  }
}
