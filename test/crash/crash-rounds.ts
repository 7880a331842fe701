import { expect } from "bun:test";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { FAULTLESS } from "../history/faults.ts";
import { eventsOf } from "../history/job-history.ts";
import { tableOf } from "../history/table.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { checker } from "./checker.ts";
import { type CrashOrder, jobNumber } from "./crash-order.ts";
import { drain, forgetAll } from "./drain.ts";
import type { Call } from "./history.ts";
import { type Found, inspect } from "./inspect.ts";
import { inspectFiles } from "./inspect-files.ts";
import { type KillPlan, killedRun } from "./killed-run.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";
import { eventsOfCall } from "./store-events.ts";
import { StoreHistory } from "./store-history.ts";

/** What a run has come to: a run that reached nothing has shown nothing. */
export interface Reached {
  kills: number;
  asPlanned: number;
  insideCommit: number;
  commits: number;
  ok: number;
  fail: number;
  unknown: number;
}

const START = 1_800_000_000_000;
const ENDPOINT = "crashed";

/**
 * Kills one process after the other on the same directory, until all kills are done or what is left is not
 * what may be true. In the end all that is left must still be handed out, end and go; and the history checker
 * judges all that callers saw.
 */
export async function crashRounds(
  seed: string,
  kills: number,
  planOf: (random: SeededRandom) => KillPlan,
): Promise<Reached> {
  // It stays when the test fails: the message names it.
  const directory = await temporaryDirectory();
  const { path } = directory;
  const random = seededRandom(seed);
  const reached = newReached();
  const rows = checker(START);
  const history = new StoreHistory();
  const wrong: string[] = [];
  let order = await firstOrder(path, seed);
  let found: Found | undefined;

  function learn(calls: readonly Call[]): void {
    rows.learn(calls);
    history.learn(calls);
  }

  async function look(ids: readonly string[], isFinal: boolean): Promise<Found> {
    const all = await inspect(path, ENDPOINT, ids);
    const found = rows.check(all);
    // What is wrong once stays wrong.
    if (wrong.length === 0) wrong.push(...found);
    history.look(all, ids, isFinal);
    return all;
  }

  while (reached.kills < kills && wrong.length === 0) {
    const { calls, commits, isInsideCommit, isAsPlanned } = await killedRun(order, planOf(random));
    learn(calls);
    reached.kills++;
    reached.commits += commits;
    if (isInsideCommit) reached.insideCommit++;
    if (isAsPlanned) reached.asPlanned++;
    for (const { outcome } of calls) reached[outcome.kind]++;
    order = nextOrder(order, calls, `${seed}/${reached.kills}`, random.integer(0, 1_000));
    // Now and then the next process finds the directory as the kill has left it.
    if (reached.kills < kills && random.chance(0.2)) continue;
    found = await look(rows.ids(), false);
  }

  const waiting = [...(found?.jobs ?? [])]
    .filter(([, { record }]) => record.state === "IN_QUEUE" && record.expiresAt > order.now)
    .map(([id]) => id);
  const ends = await drain(path, ENDPOINT, order);
  learn(ends);
  await look([...new Set([...rows.ids(), ...history.ids()])], true);
  const verdict = history.verdict();
  process.stderr.write(tableOf(`crash of the store: SEED=${seed} ${JSON.stringify(reached)}`, verdict));
  const context = { seed, kill: reached.kills, path };
  expect({ ...context, ...verdict.faults, wrong }).toEqual({ ...context, ...FAULTLESS, wrong: [] });
  expect(handedOut(ends).toSorted()).toEqual(waiting.toSorted());
  await forgetAll(path, 2 * order.now);
  expect(inspectFiles(path)).toEqual({ submissions: new Map(), faults: [] });
  await directory[Symbol.asyncDispose]();
  return reached;
}

function handedOut(calls: readonly Call[]): string[] {
  const events = calls.flatMap(eventsOfCall);
  return eventsOf(events, "handOut").map(({ id }) => id);
}

function newReached(): Reached {
  return { kills: 0, asPlanned: 0, insideCommit: 0, commits: 0, ok: 0, fail: 0, unknown: 0 };
}

async function firstOrder(directory: string, seed: string): Promise<CrashOrder> {
  const store = await openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
  await store.apply([{ step: "put", record: endpointRecord(ENDPOINT) }], START);
  await store.close();
  return { directory, endpoint: ENDPOINT, seed, now: START, call: 0, job: 0, position: 0 };
}

/** The order for the next process: all numbers that were given out are used up. */
function nextOrder(order: CrashOrder, calls: readonly Call[], seed: string, pause: number): CrashOrder {
  const steps = calls.flatMap((call) => call.steps);
  const after = (used: readonly number[], least: number): number =>
    used.reduce((next, number) => Math.max(next, number + 1), least);
  const times = calls.map((call) => call.now);
  const numbers = calls.map((call) => call.call);
  const jobs = steps.map((step) => (step.step === "enqueue" ? jobNumber(step.id) : -1));
  const positions = steps.map((step) => ("position" in step ? step.position : -1));
  return {
    ...order,
    seed,
    now: after(times, order.now) + pause,
    call: after(numbers, order.call),
    job: after(jobs, order.job),
    position: after(positions, order.position),
  };
}
