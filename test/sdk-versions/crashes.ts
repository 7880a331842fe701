import { expect } from "bun:test";
import { AnswerGate } from "../support/answer-gate.ts";
import type { TestClient } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import {
  admit,
  begin,
  type Begun,
  type Case,
  ended,
  expectOnce,
  nextTaker,
  pass,
  RESULT,
  type Setting,
} from "./case.ts";

const BOTH = ["own", "shared"] as const;

/** Two ping intervals: the server has heard by then that the worker has the job. */
const PINGED = 6_500;

/** Long enough that no handler of a crashed worker could have ended. */
const FOR_LONG = { seconds: 120 };

/** Pings by a process of its own, which outlives a killed worker. */
const WITH_PING_PROCESS = ["1.7.13", "1.12.0", "2.0.0rc2"];
/** A poll for stops is open while a handler runs: that it breaks off tells of the crash. */
const WITH_STOP_POLL = new Set(["1.12.0", "2.0.0rc2"]);

/** A worker may list an ended job for 60 s, ms. */
const UNHEALTHY_LIMIT = 90_000;

/** What a worker prints that has as many jobs as it can run; a worker runs no more than one here. */
const TAKES_NO_MORE = /Queue is full/;
const START_LIMIT = 90_000;

/** Workers that die. */
export const CRASHES: readonly Case[] = [
  {
    name: "killed before its first ping",
    tokens: ["own"],
    run: (setting) => killed(setting, { form: "async" }, 0),
  },
  {
    name: "killed in the handler",
    tokens: ["own"],
    run: (setting) => killed(setting, { form: "sync" }, PINGED),
  },
  {
    name: "killed in the handler, own RUNPOD_POD_ID",
    tokens: ["shared"],
    run: (setting) => killed(setting, { form: "sync", env: uniqueId() }, PINGED),
  },
  {
    name: "killed in the handler, can take more",
    tokens: ["shared"],
    run: (setting) => killed(setting, { form: "async", concurrency: 2 }, PINGED),
  },
  { name: "killed in the handler", tokens: ["shared"], run: killedInSilence },
  { name: "killed, but not its heartbeat", tokens: ["own"], versions: WITH_PING_PROCESS, run: killedAlone },
  { name: "killed before its result is answered", tokens: BOTH, run: killedBeforeAnswer },
  { name: "restarted in its directory", tokens: BOTH, versions: ["1.7.13"], run: restarted },
];

function uniqueId(): Record<string, string> {
  return { RUNPOD_POD_ID: `worker-${crypto.randomUUID()}` };
}

interface Victim {
  readonly form: "sync" | "async";
  readonly concurrency?: number;
  readonly env?: Record<string, string>;
}

async function killed(setting: Setting, victim: Victim, after: number): Promise<string> {
  const { server } = setting.world;
  const { endpoint, worker, id } = await begin(setting, { client: server, input: FOR_LONG, ...victim });
  await pass(after);
  const hasId = setting.token === "own" || victim.env !== undefined;
  await expectHeartbeats(server, endpoint, hasId);
  const taker = await nextTaker(server, endpoint);
  return taker.expectJob(id, () => worker.kill());
}

/** What the server says of the only worker. */
async function expectHeartbeats(server: TestClient, endpoint: string, are: boolean): Promise<void> {
  const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
  expect(json.workers).toMatchObject([{ heartbeats: are }]);
}

/** Without pings only a call that breaks off tells of the crash. The job of any other ends by its timeout. */
async function killedInSilence(setting: Setting): Promise<string> {
  const { server } = setting.world;
  const policy = { executionTimeout: 30_000 };
  const { endpoint, worker, id } = await begin(setting, {
    client: server,
    form: "sync",
    input: FOR_LONG,
    policy,
  });
  await pass(PINGED);
  await expectHeartbeats(server, endpoint, false);
  if (WITH_STOP_POLL.has(setting.version.version)) {
    const taker = await nextTaker(server, endpoint);
    return taker.expectJob(id, () => worker.kill());
  }
  worker.kill();
  const record = await ended(server, endpoint, id);
  expect(record).toMatchObject({ status: "TIMED_OUT", error: expect.stringContaining("sends no pings") });
  return "timed out, as documented";
}

async function killedAlone(setting: Setting): Promise<string> {
  const { server } = setting.world;
  const { endpoint, worker, id } = await begin(setting, {
    client: server,
    form: "async",
    concurrency: 2,
    input: FOR_LONG,
  });
  await pass(PINGED);
  const taker = await nextTaker(server, endpoint);
  return taker.expectJob(id, () => worker.killAlone());
}

/** The result is stored; the worker dies before it hears so. */
async function killedBeforeAnswer(setting: Setting): Promise<string> {
  const { server } = setting.world;
  let begun: Begun | undefined;
  await using stack = new AsyncDisposableStack();
  const gate = stack.adopt(
    await AnswerGate.start(server.url, ({ url }) => {
      if (!url.includes("/job-done/")) return true;
      begun?.worker.kill();
      return false;
    }),
    (started) => started.stop(),
  );
  begun = await begin(setting, { client: server, form: "sync", input: { seconds: 2 }, url: gate.url });
  // Before the gate goes.
  return await expectOnce(server, begun);
}

/**
 * It reads the list of its jobs from a file, and reports a job that it no longer has. The job ends by its
 * timeout; the worker never asks for another one.
 */
async function restarted({ world, host, token }: Setting): Promise<string> {
  const { server } = world;
  const endpoint = await server.endpoint();
  const env = await admit(server, endpoint, token);
  const first = await host.start({ form: "sync", env });
  const id = await server.run(endpoint, FOR_LONG, { policy: { executionTimeout: 30_000 } });
  await first.began(id);
  // On a busy machine a start can take longer than the lease, so it comes first.
  const second = await host.startIn(first.directory, { form: "sync", env });
  await until("it has read the list", () => TAKES_NO_MORE.test(second.printed), START_LIMIT);
  first.kill();
  expect(await ended(server, endpoint, id)).toMatchObject({ status: "TIMED_OUT" });
  if (token === "own") await expectUnhealthy(server, endpoint, id);
  // Another one serves the endpoint.
  const other = await host.start({ form: "sync", env: await admit(server, endpoint, "own") });
  const next = await server.run(endpoint, { seconds: 1 });
  expect(await ended(server, endpoint, next)).toMatchObject({ status: "COMPLETED", output: RESULT });
  second.kill();
  other.kill();
  return token === "own" ? "timed out, unhealthy" : "timed out, as documented";
}

async function expectUnhealthy(server: TestClient, endpoint: string, job: string): Promise<void> {
  const unhealthy = await until(
    "the worker is unhealthy",
    async () => {
      const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
      return json.workers.find(({ state }: { state: string }) => state === "UNHEALTHY");
    },
    UNHEALTHY_LIMIT,
  );
  expect(unhealthy.reason).toContain(`still lists job ${job}`);
}
