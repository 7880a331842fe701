import type { Suite } from "./suites.ts";

/** What runs one suite after the other, beside other lanes. */
export interface Lane {
  /** Suites that mostly wait, or those that use the processor. */
  readonly waits: boolean;
}

/** What a free lane runs next: the first of `waiting` that is for it, and that may run beside `running`. */
export function nextOf(
  { waits }: Lane,
  waiting: readonly Suite[],
  running: readonly Suite[],
): Suite | undefined {
  return waiting.find(
    (suite) =>
      (suite.waits === true) === waits &&
      !running.some(({ shares }) => shares !== undefined && shares === suite.shares),
  );
}

/** Runs every suite in a lane; the answers are in the order in which the suites ended. */
export async function runLanes<Outcome>(
  suites: readonly Suite[],
  lanes: readonly Lane[],
  run: (suite: Suite, lane: Lane) => Promise<Outcome>,
): Promise<Outcome[]> {
  const waiting = [...suites];
  const running: Suite[] = [];
  const outcomes: Outcome[] = [];
  /** Lanes that found nothing they may run now. */
  let resting: (() => void)[] = [];

  async function runLane(lane: Lane): Promise<void> {
    while (waiting.some((suite) => (suite.waits === true) === lane.waits)) {
      const suite = nextOf(lane, waiting, running);
      if (suite === undefined) {
        await new Promise<void>((resolve) => resting.push(resolve));
        continue;
      }
      waiting.splice(waiting.indexOf(suite), 1);
      running.push(suite);
      outcomes.push(await run(suite, lane));
      running.splice(running.indexOf(suite), 1);
      for (const wake of resting) wake();
      resting = [];
    }
  }

  await Promise.all(lanes.map(runLane));
  return outcomes;
}
