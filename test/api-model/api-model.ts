import * as fc from "fast-check";
import { type Act, ApiCommand, type Roll } from "./api-command.ts";
import { CLIENT_ACTS } from "./client-acts.ts";
import type { OpenCrashableStore } from "./crashable-store.ts";
import { expectAccounted } from "./expect-accounted.ts";
import { ModelServer } from "./model-server.ts";
import { ModelSession } from "./model-session.ts";
import { QueueModel } from "./queue-model.ts";
import type { Tally } from "./tally.ts";
import { TIME_ACTS } from "./time-acts.ts";
import { WORKER_ACTS } from "./worker-acts.ts";

const ACTS: Readonly<Record<string, Act>> = { ...CLIENT_ACTS, ...WORKER_ACTS, ...TIME_ACTS };

/** Commands that are drawn this often; the others once. */
const WEIGHTS: Readonly<Record<string, number>> = {
  run: 4,
  runsync: 3,
  take: 7,
  done: 2,
  chunk: 3,
  fail: 2,
  advance: 3,
  expire: 4,
  stream: 3,
  retry: 2,
};

const ROLL: fc.Arbitrary<Roll> = fc.record({
  job: fc.nat(7),
  worker: fc.nat(2),
  number: fc.nat(3),
  isApt: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, { arbitrary: fc.boolean(), weight: 1 }),
  isSo: fc.boolean(),
});

export interface ModelRun {
  readonly open: OpenCrashableStore;
  readonly sequences: number;
  /** The longest sequence. */
  readonly commands: number;
  readonly tally: Tally;
}

export const COMMAND_KINDS = Object.keys(ACTS);

const WORKERS = 3;

/**
 * Random sequences of what clients, workers and time can do, on a server and on the model of it: after each
 * command both have given the same answers. A sequence that shows a difference is shortened, and what it says
 * repeats it: `SEED` alone repeats the run, with `CASE` and `COMMANDS` the one short sequence. `RUNS`
 * multiplies the sequences.
 */
export async function runModel({ open, sequences, commands, tally }: ModelRun): Promise<void> {
  const { SEED, CASE, COMMANDS, RUNS = "1" } = process.env;
  const arbitraries = Object.entries(ACTS).flatMap(([kind, act]) =>
    Array<fc.Arbitrary<ApiCommand>>(WEIGHTS[kind] ?? 1).fill(
      ROLL.map((roll) => new ApiCommand(kind, act, roll, tally)),
    ),
  );
  const options = { maxCommands: commands, size: "max" } as const;
  const sequence = fc.commands(
    arbitraries,
    COMMANDS === undefined ? options : { ...options, replayPath: COMMANDS },
  );
  const property = fc.asyncProperty(sequence, (commands) => runSequence(open, tally, commands));
  const details = await fc.check(property, {
    numRuns: sequences * Number(RUNS),
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
    ...(CASE === undefined ? {} : { path: CASE, endOnFailure: true }),
  });
  if (!details.failed) return;
  const path = /replayPath="([^"]*)"/.exec(fc.stringify(details.counterexample?.[0]))?.[1] ?? "";
  const again = `SEED=${details.seed} CASE=${details.counterexamplePath} COMMANDS=${path}`;
  const report = await fc.asyncDefaultReportMessage(details);
  throw new Error(`${report}\n\nThe same again: ${again}`, { cause: details.errorInstance });
}

async function runSequence(
  open: OpenCrashableStore,
  tally: Tally,
  commands: Iterable<fc.AsyncCommand<object, ModelSession>>,
): Promise<void> {
  const server = await ModelServer.start(open, WORKERS);
  const session = new ModelSession(new QueueModel(), server, (kind) => tally.succeeded(kind));
  let isOver = false;
  try {
    await fc.asyncModelRun(() => ({ model: {}, real: session }), commands);
    await expectAccounted(session);
    isOver = true;
  } finally {
    if (!isOver) await server.end();
  }
}
