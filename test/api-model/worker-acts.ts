import { expect } from "bun:test";
import type { Act, Roll } from "./api-command.ts";
import { pick } from "./client-acts.ts";
import type { ModelSession } from "./model-session.ts";
import { holderOf, type ModelJob } from "./model-job.ts";

/** What workers can do: with the public protocol, or with attempts on the wire by the exchange. */
export const WORKER_ACTS = {
  /** Whether it got a job shows later. */
  async take(session, roll) {
    const { model } = session;
    const worker = workerOf(session, roll);
    if (session.isOpen((wait) => wait.kind === "take" && wait.worker === worker)) return false;
    const hasJobs = jobsAt(session, worker).length > 0;
    const mustGet = !session.mayOverlook && model.next(worker) !== undefined;
    const path = `/job-take/${worker}?job_in_progress=${hasJobs ? 1 : 0}`;
    const until = model.now + 20_000;
    const call = session.open({ kind: "take", worker, until }, { method: "GET", path, worker });
    model.called(worker, hasJobs ? "any" : "nothing");
    await session.settle();
    if (mustGet) expect([worker, session.isOpen((wait) => wait === call)]).toEqual([worker, false]);
    if (model.in("IN_QUEUE").length > 0) session.mayOverlook = true;
    return false;
  },

  done: (session, roll) => finish(session, roll, "output"),
  fail: (session, roll) => finish(session, roll, "error"),

  async chunk(session, roll) {
    const { worker, id, attempt } = speaker(session, roll);
    const output = JSON.stringify({ n: roll.job, pad: "x".repeat(roll.job === 7 ? 5_000 : 0) });
    const ignored = await say(session, worker, {
      path: `/job-stream/${worker}/${id}`,
      body: `{"output":${output}}`,
      entry:
        attempt === undefined
          ? undefined
          : `"chunks":[{"id":"${id}","attempt":${attempt},"output":${output}}]`,
    });
    const isAccepted = session.model.append(worker, id, attempt, `{"output":${output}}`);
    if (ignored !== undefined) expect(ignored).toEqual(isAccepted ? [] : [id]);
    return isAccepted;
  },

  async ping(session, roll) {
    const worker = workerOf(session, roll);
    const held = roll.isApt ? jobsAt(session, worker).map((job) => job.id) : [];
    const answer = await session.send({ method: "GET", path: pingOf(worker, held), worker });
    expect(answer.status).toBe(200);
    session.model.ping(worker, held);
    return held.length > 0;
  },
} as const satisfies Record<string, Act>;

/** The address of a ping that lists these jobs. */
export function pingOf(worker: string, ids: readonly string[]): string {
  return `/ping/${worker}${ids.length === 0 ? "" : `?job_id=${ids.join(",")}`}`;
}

/** A worker that the roll points at: one that holds a job, if it can. */
export function workerOf({ model, server }: ModelSession, { worker, isApt }: Roll): string {
  const busy = server.workers.filter((one) => isApt && model.heldBy(one).length > 0);
  const workers = busy.length > 0 && worker > 0 ? busy : server.workers;
  return workers[worker % workers.length] ?? "";
}

function jobsAt({ model }: ModelSession, worker: string): ModelJob[] {
  return [...model.jobs.values()].filter((job) => holderOf(job) === worker);
}

/** Who speaks of which job and attempt: its holder, or anybody; without an attempt in the public protocol. */
function speaker(session: ModelSession, roll: Roll): { worker: string; id: string; attempt?: number } {
  const id = pick(session, roll, (job) => job.state === "IN_PROGRESS");
  const job = session.model.jobs.get(id);
  const holder = job === undefined ? undefined : holderOf(job);
  const worker = roll.isApt && holder !== undefined ? holder : workerOf(session, roll);
  if (!roll.isSo) return { worker, id };
  const newest = job?.attempt ?? 1;
  return { worker, id, attempt: Math.max(1, roll.number === 0 ? newest - 1 : newest) };
}

async function finish(session: ModelSession, roll: Roll, member: "output" | "error"): Promise<boolean> {
  const { worker, id, attempt } = speaker(session, roll);
  const text = roll.job === 7 ? "x".repeat(70_000) : `result ${roll.number}`;
  const result = `"${member}":${JSON.stringify(text)}`;
  const ignored = await say(session, worker, {
    path: `/job-done/${worker}/${id}?isStream=${roll.number === 3}`,
    body: `{${result}}`,
    entry: attempt === undefined ? undefined : `"results":[{"id":"${id}","attempt":${attempt},${result}}]`,
  });
  const given = member === "error" ? { error: text } : { output: JSON.stringify(text) };
  const mayBeLate = attempt === undefined && roll.number !== 3;
  const isAccepted = session.model.report(worker, id, attempt, given, mayBeLate);
  if (ignored !== undefined) expect(ignored).toEqual(isAccepted ? [] : [id]);
  return isAccepted;
}

interface Saying {
  readonly path: string;
  readonly body: string;
  /** Of an exchange; undefined: the public protocol is spoken. */
  readonly entry: string | undefined;
}

/** What an exchange says was ignored; undefined where nothing is said of that. */
async function say(session: ModelSession, worker: string, saying: Saying): Promise<string[] | undefined> {
  const { path, body, entry } = saying;
  session.model.called(worker, entry === undefined ? "nothing" : "all");
  if (entry === undefined) {
    const answer = await session.send({ method: "POST", path, body, worker });
    expect([answer.status, answer.text]).toEqual([200, "{}"]);
    return undefined;
  }
  const alive = JSON.stringify(jobsAt(session, worker).map((job) => job.id));
  const call = { path: `/exchange/${worker}`, body: `{"alive":${alive},${entry}}` };
  const answer = await session.send({ method: "POST", ...call, worker });
  expect([answer.status, answer.json?.jobs]).toEqual([200, []]);
  return answer.json.ignored;
}
