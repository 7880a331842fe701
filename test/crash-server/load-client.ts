import type { SeededRandom } from "../crash/seeded-random.ts";
import type { Span } from "../history/history.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { Counted } from "./counters.ts";
import { someJob } from "./job-input.ts";
import type { JobAnswer, Recorder } from "./recorder.ts";

/** What the clients of a server share. */
export interface Load {
  readonly recorder: Recorder;
  readonly url: () => string;
  readonly endpoints: readonly [string, ...string[]];
  /** The only endpoint that is purged: what is gone elsewhere is lost. */
  readonly purged: string;
  /** Jobs of this endpoint may time out: it is served by workers whose loss goes unnoticed. */
  readonly timesOut?: string;
  /** Whom jobs may call at their ends. */
  readonly webhook?: string;
  /** Jobs of which something can be asked, the newest last. */
  readonly jobs: { readonly endpoint: string; readonly id: string }[];
  /** Of these, some that were seen FAILED or TIMED_OUT. */
  readonly failed: { readonly endpoint: string; readonly id: string }[];
}

interface Answered extends Span {
  /** Undefined when the connection broke: nobody knows whether the call did anything. */
  readonly status: number | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- the answers are what is tested
  readonly json: any;
  readonly headers: Headers;
}

/** A call that has not been answered by then hangs, ms. */
const CALL_LIMIT = 20_000;
const RECENT_JOBS = 100;
const PAUSE = { min: 0, max: 40 };

/** One client, that does one thing after the other until it is told to end. */
export async function loadClient(
  load: Load,
  random: SeededRandom,
  name: string,
  end: AbortSignal,
): Promise<void> {
  for (let number = 0; !end.aborted; number++) {
    await turn(load, random, `${name}-${number}`);
    await Bun.sleep(random.integer(PAUSE.min, PAUSE.max));
  }
}

async function turn(load: Load, random: SeededRandom, tag: string): Promise<void> {
  const roll = random.next();
  if (roll < 0.36) return submit(load, random, tag, "run");
  if (roll < 0.44) return submit(load, random, tag, "runsync?wait=1000");
  const job = load.jobs.at(-random.integer(1, Math.min(RECENT_JOBS, load.jobs.length)));
  if (job === undefined) return;
  if (roll < 0.7) return void (await askStatus(load, job));
  if (roll < 0.84) return readNext(load, job);
  if (roll < 0.9) return change(load, job, "cancel");
  if (roll < 0.975) return change(load, load.failed.pop() ?? job, "retry");
  return purge(load);
}

async function submit(load: Load, random: SeededRandom, tag: string, operation: string): Promise<void> {
  const { events, sawRecord, saw } = load.recorder;
  const endpoint = random.pick(load.endpoints);
  const hasWebhook = load.webhook !== undefined && random.chance(0.5);
  const submitted = { ...someJob(random, tag), ...(hasWebhook ? { webhook: load.webhook } : {}) };
  const answer = await call(load, "POST", `/v2/${endpoint}/${operation}`, submitted);
  const { from, to, status, json } = answer;
  const mayTimeOut = submitted.policy !== undefined || endpoint === load.timesOut;
  if (status !== undefined && !isExpected(load, status, [200], "a submission")) return;
  const sent = { kind: "submission", endpoint, tag, mayTimeOut, hasWebhook, from, to } as const;
  if (status === undefined) return void events.push({ ...sent, outcome: "unknown" });
  // A runsync that could not read its job has an error in the place of the record: the id came before.
  const id = answer.headers.get("x-job-id") ?? json.id;
  events.push({ ...sent, outcome: "acknowledged", id });
  load.jobs.push({ endpoint, id });
  if (json.id === undefined) return;
  if (json.error === "removed by purge-queue") saw(id, "gone", { from, to });
  else if (operation !== "run") sawRecord(json, { from, to });
}

type Job = Load["jobs"][number];

/** The final one comes when nothing waits or runs any more. */
export async function askStatus(
  load: Load,
  { endpoint, id }: Job,
  isFinal = false,
): Promise<JobAnswer | undefined> {
  const answer = await call(load, "GET", `/v2/${endpoint}/status/${id}`);
  if (answer.status === undefined) return undefined;
  if (answer.status === 404) load.recorder.saw(id, "gone", answer, isFinal);
  if (answer.status === 404 || !isExpected(load, answer.status, [200], "status")) return undefined;
  load.recorder.sawRecord(answer.json, answer, isFinal);
  const { status } = answer.json;
  if (status === "FAILED" || status === "TIMED_OUT") load.failed.push({ endpoint, id });
  return answer.json;
}

async function readNext(load: Load, { endpoint, id }: Job): Promise<void> {
  const { status, json, headers, ...span } = await call(load, "GET", `/v2/${endpoint}/stream/${id}`);
  if (status === undefined) return;
  if (status === 404) load.recorder.saw(id, "gone", span);
  if (status === 404 || !isExpected(load, status, [200], "stream")) return;
  // A header of the server under test.
  load.recorder.saw(id, headers.get("x-job-status") as JobAnswer["status"], span);
  load.recorder.events.push({ kind: "read", id, which: "next", marks: marksOf(json), ...span });
}

/** All chunks of a job that has ended. */
export async function readAll(load: Load, { endpoint, id }: Job): Promise<void> {
  const { status, json, from, to } = await call(load, "GET", `/v2/${endpoint}/stream/${id}?from=0`);
  if (status === undefined || !isExpected(load, status, [200], "stream")) return;
  load.recorder.events.push({ kind: "read", id, which: "all", marks: marksOf(json), from, to });
}

/** The counters that health answers. */
export async function endpointCounters(load: Load, endpoint: string): Promise<Counted> {
  const { status, json } = await call(load, "GET", `/v2/${endpoint}/health`);
  if (status !== 200) throw new Error(`health was answered ${status}`);
  return { endpoint, ...json.jobs };
}

function marksOf(chunks: readonly { readonly output: string }[]): string[] {
  return chunks.map(({ output }) => output);
}

async function change(load: Load, { endpoint, id }: Job, verb: "cancel" | "retry"): Promise<void> {
  const { events, saw } = load.recorder;
  const { from, to, status, json } = await call(load, "POST", `/v2/${endpoint}/${verb}/${id}`);
  if (status === 404) return saw(id, "gone", { from, to });
  const change = { kind: verb, id, from, to } as const;
  if (status === undefined) events.push({ ...change, outcome: "unknown" });
  // In this state the job cannot be retried.
  else if (verb === "retry" && status === 400) events.push({ ...change, outcome: "refused" });
  else if (isExpected(load, status, [200], verb))
    events.push({ ...change, outcome: "acknowledged", state: json.status });
}

async function purge(load: Load): Promise<void> {
  const endpoint = load.purged;
  const { from, to, status, json } = await call(load, "POST", `/v2/${endpoint}/purge-queue`);
  const { events } = load.recorder;
  if (status === undefined) events.push({ kind: "purge", endpoint, from, to, outcome: "unknown" });
  else if (isExpected(load, status, [200], "purge-queue")) {
    events.push({ kind: "purge", endpoint, from, to, outcome: "acknowledged", removed: json.removed });
  }
}

function isExpected({ recorder }: Load, status: number, expected: readonly number[], what: string): boolean {
  if (expected.includes(status)) return true;
  recorder.faults.push(`${what} was answered ${status}`);
  return false;
}

async function call(
  { recorder, url }: Load,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answered> {
  const from = recorder.now();
  const limit = AbortSignal.timeout(CALL_LIMIT);
  try {
    const response = await fetch(`${url()}${path}`, {
      method,
      // A connection that is used again may make the runtime send a call twice.
      keepalive: false,
      headers: { authorization: TEST_KEY, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: limit,
    });
    const json = (await response.json()) as Answered["json"];
    if (recorder.isUnknown(response.status, json)) return unanswered();
    return { from, to: recorder.now(), status: response.status, json, headers: response.headers };
  } catch {
    if (limit.aborted) recorder.faults.push(`${path} was not answered within ${CALL_LIMIT} ms`);
    return unanswered();
  }

  function unanswered(): Answered {
    return { from, to: recorder.now(), status: undefined, json: undefined, headers: new Headers() };
  }
}
