import { expect } from "bun:test";
import type { Answer } from "../support/answer.ts";
import type { Act, Roll } from "./api-command.ts";
import type { ModelSession } from "./model-session.ts";
import type { ModelJob } from "./model-job.ts";
import { recordOf } from "./record-of.ts";

const DEFAULT_POLICY = { ttl: 86_400_000, executionTimeout: 600_000 };
const POLICIES = [
  undefined,
  { ttl: 20_000, executionTimeout: 6_000 },
  { ttl: 60_000, executionTimeout: 30_000 },
  { ttl: 3_600_000, executionTimeout: 15_000 },
];

/** Above what a row holds, and above what the database holds. */
const LARGE = [3_000, 70_000];

/** What the clients of the API can do; each holds the answer against the model. */
export const CLIENT_ACTS = {
  async run(session, roll) {
    const { model } = session;
    const key = roll.number === 3 ? `key-${roll.worker}` : undefined;
    const { body, input, policy } = submission(roll, key !== undefined);
    const headers = key === undefined ? {} : { "idempotency-key": key };
    const answer = await session.send({ method: "POST", path: "/run", body, headers });
    const earlier = key === undefined ? undefined : model.keys.get(key);
    if (earlier !== undefined && model.now < earlier.until) {
      const state = model.jobs.get(earlier.id)?.state ?? earlier.last;
      if (earlier.body === body) expect(answer.json).toEqual({ id: earlier.id, status: state });
      else expect(answer.json).toMatchObject({ code: "IDEMPOTENCY_MISMATCH", status: 400 });
      return false;
    }
    const { id } = answer.json;
    expect([answer.status, answer.json]).toEqual([200, { id, status: "IN_QUEUE" }]);
    expect(session.ids).not.toContain(id);
    session.ids.push(id);
    model.submit(id, input, policy, 1_800_000);
    if (key !== undefined) model.keys.set(key, { id, body, until: model.now + 86_400_000 });
    return true;
  },

  /** Whether it was answered with an end shows later. */
  async runsync(session, roll) {
    const { model, server } = session;
    const { body, input, policy } = submission(roll, false);
    const wait = [undefined, 1_000, 10_000, 300_000][roll.number];
    const path = wait === undefined ? "/runsync" : `/runsync?wait=${wait}`;
    const until = model.now + (wait ?? 90_000);
    const call = session.open({ kind: "runsync", id: "", until }, { method: "POST", path, body });
    await server.settled();
    // The call tells its id at its end; the newest job is its own.
    const { json } = await session.send({ method: "GET", path: "/requests?limit=1" });
    call.id = json.requests[0].id;
    expect(session.ids).not.toContain(call.id);
    session.ids.push(call.id);
    model.submit(call.id, input, policy, Math.max(60_000, wait ?? 0));
    return false;
  },

  async status(session, roll) {
    const { model } = session;
    const id = pick(session, roll, () => true);
    const ttl = roll.isSo && roll.number === 0 ? 1_000 * (1 + roll.job) : undefined;
    const path = `/status/${id}${ttl === undefined ? "" : `?ttl=${ttl}`}`;
    const answer = await session.send({ method: "GET", path });
    const isThere = ttl === undefined ? model.jobs.has(id) : model.setTtl(id, ttl);
    return expectRecord(answer, isThere ? model.jobs.get(id) : undefined);
  },

  async stream(session, roll) {
    const id = pick(session, roll, (job) => job.chunks.length > job.read);
    // Of two reads that wait either may get what comes.
    if (session.isOpen((wait) => wait.kind === "stream" && wait.id === id)) return false;
    const from = roll.isSo ? roll.number : undefined;
    const path = `/stream/${id}?wait=2000${from === undefined ? "" : `&from=${from}`}`;
    const until = session.model.now + 2_000;
    session.open({ kind: "stream", id, from, until }, { method: "GET", path });
    return false;
  },

  async cancel(session, roll) {
    const { model } = session;
    const id = pick(session, roll, (job) => job.endedAt === undefined);
    const answer = await session.send({ method: "POST", path: `/cancel/${id}` });
    const before = model.moves;
    const job = model.cancel(id);
    if (job === undefined) expect(answer.status).toBe(404);
    else expect(answer.json).toEqual({ id, status: job.state });
    return model.moves > before;
  },

  async retry(session, roll) {
    const { model } = session;
    const id = pick(session, roll, (job) => job.state === "FAILED" || job.state === "TIMED_OUT");
    const answer = await session.send({ method: "POST", path: `/retry/${id}` });
    const status = model.retry(id);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.code).toBe("NOT_RETRYABLE");
    if (status === 200) expect(answer.json).toEqual({ id, status: "IN_QUEUE" });
    return status === 200;
  },

  async purge(session) {
    const answer = await session.send({ method: "POST", path: "/purge-queue" });
    const removed = session.model.purge();
    expect(answer.json).toEqual({ removed, status: "completed" });
    return removed > 0;
  },

  async health(session) {
    const { model, server } = session;
    const { json } = await session.send({ method: "GET", path: "/health" });
    const { ignored, ...events } = model.events;
    const inQueue = model.in("IN_QUEUE").length;
    const inProgress = model.in("IN_PROGRESS").length;
    expect(json.jobs).toEqual({ ...events, inQueue, inProgress });
    const running = server.workers.filter((worker) => model.heldBy(worker).length > 0);
    const live = server.workers.filter((worker) => (model.contacts.get(worker) ?? 0) >= model.now - 9_000);
    const idle = live.filter((worker) => !running.includes(worker)).length;
    expect(json.workers).toMatchObject({ running: running.length, idle });
    expect((await server.engine.store.counts(server.endpoint))?.ignored).toBe(ignored);
    return inQueue + inProgress > 0;
  },
} as const satisfies Record<string, Act>;

/** The id of a job that the roll points at: one that suits, or any that ever was, or none. */
export function pick(session: ModelSession, roll: Roll, suits: (job: ModelJob) => boolean): string {
  const apt = roll.isApt ? [...session.model.jobs.values()].filter(suits) : [];
  const ids = apt.length > 0 ? apt.map((job) => job.id) : [...session.ids, "absent"];
  return ids[roll.job % ids.length] ?? "absent";
}

/** True when the answer is the record of a job. */
export function expectRecord(answer: Answer, job: ModelJob | undefined): boolean {
  if (job === undefined) expect(answer.json).toMatchObject({ code: "JOB_NOT_FOUND", status: 404 });
  else expect(answer.json).toEqual(recordOf(job));
  return job !== undefined;
}

function submission({ job, number, isSo, isApt }: Roll, isRepeatable: boolean) {
  const chosen = isRepeatable ? undefined : POLICIES[number];
  const pad = "x".repeat(job === 7 && !isRepeatable ? (LARGE[isApt ? 0 : 1] ?? 0) : 0);
  const input = JSON.stringify({ n: isRepeatable ? isSo : job, pad });
  const policy = chosen === undefined ? "" : `,"policy":${JSON.stringify(chosen)}`;
  return { body: `{"input":${input}${policy}}`, input, policy: chosen ?? DEFAULT_POLICY };
}
