import { expect, test } from "bun:test";
import { tableOf } from "../history/table.ts";
import { SEED } from "../support/seed.ts";
import { crashRounds } from "./crash-rounds.ts";
import { NOTHING_WRONG, wrongOf } from "./judge.ts";
import { killPlan } from "./kill-plan.ts";

/** `SEED=… KILLS=…` repeats the plan of a run; the moment of a kill within it is the machine's. */
const KILLS = Number(process.env["KILLS"] ?? 100);
const LEAST_INSIDE_COMMIT = KILLS / 5;

test(
  `P1, P2, P3, P4: ${KILLS} kills of a server under load lose nothing and double nothing (SEED=${SEED})`,
  async () => {
    const { orphans, files, verdict, counters, answers, ...reached } = await crashRounds(
      SEED,
      KILLS,
      killPlan,
    );
    process.stderr.write(tableOf(`crash of the server: SEED=${SEED} ${JSON.stringify(reached)}`, verdict));

    const wrong = { ...wrongOf({ verdict, counters, answers }), orphans, files };
    expect(wrong).toEqual({ ...NOTHING_WRONG, orphans: [], files: [] });
    expect(reached.insideCommit).toBeGreaterThanOrEqual(LEAST_INSIDE_COMMIT);
    expect(Object.keys(reached.ended).toSorted()).toEqual([
      "CANCELLED",
      "COMPLETED",
      "FAILED",
      "TIMED_OUT",
      "gone",
    ]);
    expect(verdict.recovered).toBeGreaterThan(0);
    expect(reached.workersKilled).toBeGreaterThan(0);
    expect(reached.silentHandOuts).toBeGreaterThan(0);
  },
  KILLS * 6_000 + 120_000,
);
