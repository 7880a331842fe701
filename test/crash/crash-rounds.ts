import { expect } from "bun:test";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { checker } from "./checker.ts";
import { type CrashOrder, jobNumber } from "./crash-order.ts";
import { drain } from "./drain.ts";
import type { Call } from "./history.ts";
import { type Found, inspect } from "./inspect.ts";
import { inspectFiles } from "./inspect-files.ts";
import { type KillPlan, killedRun } from "./killed-run.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

/** What a run has come to: a run that reached nothing has shown nothing. */
export interface Reached {
  kills: number;
  asPlanned: number;
  insideCommit: number;
  commits: number;
  ok: number;
  fail: number;
  unknown: number;
  recovered: number;
}

const START = 1_800_000_000_000;
const ENDPOINT = "crashed";
const FAULTLESS = { lost: [], unexpected: [], duplicated: [], wrong: [] };

/**
 * Kills one process after the other on the same directory, and fails the test when what is left is not what
 * may be true. In the end all that is left must still be handed out and go.
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
  const { learn, ids, check } = checker(START);
  let order = await firstOrder(path, seed);
  let found: Found | undefined;

  while (reached.kills < kills) {
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

    found = await inspect(path, ENDPOINT, ids());
    const { recovered, ...faults } = check(found);
    reached.recovered += recovered.length;
    const context = { seed, kill: reached.kills, path };
    expect({ ...context, ...faults }).toEqual({ ...context, ...FAULTLESS });
  }

  const waiting = [...(found?.jobs ?? [])]
    .filter(([, { record }]) => record.state === "IN_QUEUE" && record.expiresAt > order.now)
    .map(([id]) => id);
  expect((await drain(path, ENDPOINT, order.now)).toSorted()).toEqual(waiting.toSorted());
  expect(inspectFiles(path)).toEqual({ submissions: new Map(), faults: [] });
  await directory[Symbol.asyncDispose]();
  process.stderr.write(`crash: SEED=${seed} ${JSON.stringify(reached)}\n`);
  return reached;
}

function newReached(): Reached {
  return { kills: 0, asPlanned: 0, insideCommit: 0, commits: 0, ok: 0, fail: 0, unknown: 0, recovered: 0 };
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
