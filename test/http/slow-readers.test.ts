import { afterEach, beforeEach, expect, test } from "bun:test";
import { ListReader } from "../support/list-reader.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { until } from "../support/until.ts";

/** More than the sockets between a server and a reader that takes nothing can hold. */
const LARGE = "x".repeat(19_000_000);
const LARGE_INPUT = JSON.stringify({ input: { text: "x".repeat(10_400_000) } });

/** Room for one large answer at a time. */
const flags = { "body-budget-mb": "40" };

let server: TestServer;
let clock: ManualClock;
let endpoint: string;
let worker: TestWorker;
let readers: ListReader[];

beforeEach(async () => {
  clock = new ManualClock();
  server = await TestServer.start({ flags, clock });
  endpoint = await server.endpoint();
  worker = await server.worker(endpoint);
  readers = [];
});
afterEach(async () => {
  for (const reader of readers) reader.close();
  await server.stop();
});

/** A job that has ended with a large output. */
async function largeJob(): Promise<string> {
  const job = await server.run(endpoint);
  await worker.take();
  expect((await worker.done(job, { output: LARGE })).status).toBe(200);
  return job;
}

/** Reads an answer from its beginning on, and then nothing more. */
async function stalled(path: string, key?: string): Promise<ListReader> {
  const reader = new ListReader(server.url, path, "nothing", key);
  readers.push(reader);
  await reader.stall();
  return reader;
}

/** What a call answers while time goes on, a second at a time. */
async function inTime<Answered>(call: Promise<Answered>): Promise<Answered> {
  const state = { isOver: false };
  void call.finally(() => (state.isOver = true));
  await until("it is answered", async () => {
    await clock.advance(1_000);
    return state.isOver;
  });
  return call;
}

const statusOf = (job: string) => `/v2/${endpoint}/status/${job}`;

test("a large answer without room is refused, small ones are not, and the room comes back", async () => {
  const [job, small] = [await largeJob(), await server.run(endpoint)];
  const reader = await stalled(statusOf(job));
  for (const path of [statusOf(job), `/v2/${endpoint}/status-sync/${job}`]) {
    const refused = await inTime(server.get(path));
    expect([refused.status, refused.json.code]).toEqual([503, "OVERLOADED"]);
    expect(refused.headers.get("retry-after")).toBe("1");
  }
  expect((await server.get(statusOf(small))).status).toBe(200);
  const waiting = server.get(statusOf(job));
  await clock.advance(1_000);
  reader.close();
  expect((await inTime(waiting)).json.output).toBe(LARGE);
  expect((await server.get(statusOf(job))).json.output).toBe(LARGE);
});

test("a reader that takes too long is cut when others wait for its room, and not before", async () => {
  const job = await largeJob();
  const slow = await stalled(statusOf(job));
  await clock.advance(600_000);
  slow.resume();
  expect((await slow.end()).isWhole).toBe(true);
  const cut = await stalled(statusOf(job));
  await clock.advance(600_000);
  expect((await inTime(server.get(statusOf(job)))).json.output).toBe(LARGE);
  cut.resume();
  expect((await cut.end()).isWhole).toBe(false);
});

test("runsync without room for its output answers a running job, whose status has it later", async () => {
  const reader = await stalled(statusOf(await largeJob()));
  const call = server.post(`/v2/${endpoint}/runsync?wait=5000`, { input: {} });
  const { id } = (await worker.take()).json;
  await worker.done(id, { output: LARGE });
  const { json } = await inTime(call);
  expect([json.id, json.status, json.output]).toEqual([id, "IN_PROGRESS", undefined]);
  reader.close();
  expect((await inTime(server.get(statusOf(id)))).json).toMatchObject({ status: "COMPLETED", output: LARGE });
});

test("a read of a stream without room consumes nothing", async () => {
  const reader = await stalled(statusOf(await largeJob()));
  const job = await server.run(endpoint);
  await worker.take();
  await worker.stream(job, { output: "y".repeat(500_000) });
  const read = () => inTime(server.get(`/v2/${endpoint}/stream/${job}`));
  expect((await read()).status).toBe(503);
  reader.close();
  expect((await read()).json).toEqual([{ output: "y".repeat(500_000) }]);
});

test("the input of a job without room is refused, and there when it has room", async () => {
  const reader = await stalled(statusOf(await largeJob()));
  const id = await submitted();
  const read = () => inTime(server.get(`/v1/endpoints/${endpoint}/jobs/${id}/input`));
  expect((await read()).status).toBe(503);
  reader.close();
  expect((await read()).status).toBe(200);
});

test("the OpenAI route waits for room", async () => {
  const reader = await stalled(statusOf(await largeJob()));
  const call = server.post(`/v2/${endpoint}/openai/v1/completions`, { prompt: "a" });
  const { id } = (await worker.take()).json;
  await worker.done(id, { output: [{ text: "z".repeat(100_000) }] });
  const state = { isAnswered: false };
  void call.then(() => (state.isAnswered = true));
  await clock.advance(5_000);
  expect((await server.get("/healthz")).status).toBe(200);
  expect(state.isAnswered).toBe(false);
  reader.close();
  expect((await inTime(call)).json).toEqual({ text: "z".repeat(100_000) });
});

test("clients that read slowly keep no worker from its jobs, and the other way round", async () => {
  const done = await largeJob();
  const client = await stalled(statusOf(done));
  const [first, second] = [await submitted(), await submitted()];
  const path = `/v2/${endpoint}/job-take/slow`;
  const { env } = await server.worker(endpoint);
  const holder = await stalled(path, env["RUNPOD_AI_API_KEY"] ?? "");
  expect((await inTime(worker.take())).status).toBe(503);
  client.close();
  expect((await inTime(server.get(statusOf(done)))).status).toBe(200);
  holder.close();
  const other = await server.worker(endpoint);
  const taken = await inTime(other.take());
  expect([first, second]).toContain(taken.json.id);
});

test("a batch has what there is room for, and the other jobs go back uncounted", async () => {
  const jobs = [await submitted(), await submitted()];
  const taken = await inTime(worker.takeBatch(2));
  expect(taken.json).toHaveLength(1);
  const other = await server.worker(endpoint);
  const rest = await inTime(other.takeBatch(2));
  expect([...taken.json, ...rest.json].map(({ id }) => id).toSorted()).toEqual(jobs.toSorted());
  expect((await server.get(statusOf(rest.json[0].id))).json.retries).toBeUndefined();
});

/** A job with a large input. */
async function submitted(): Promise<string> {
  const { json } = await server.post(`/v2/${endpoint}/run`, LARGE_INPUT);
  return json.id;
}
