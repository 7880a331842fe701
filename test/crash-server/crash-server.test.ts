import { expect, test } from "bun:test";
import { crashRounds } from "./crash-rounds.ts";
import { FAULTLESS } from "./faultless.ts";
import { killPlan } from "./kill-plan.ts";

/** `SEED=… KILLS=…` repeats the plan of a run; the moment of a kill within it is the machine's. */
const SEED = process.env["SEED"] ?? String(crypto.getRandomValues(new Uint32Array(1))[0]);
const KILLS = Number(process.env["KILLS"] ?? 100);
const LEAST_INSIDE_COMMIT = KILLS / 5;

test(
  `P1, P2, P3, P4: ${KILLS} kills of a server under load lose nothing and double nothing (SEED=${SEED})`,
  async () => {
    const { verdict, orphans, files, ...reached } = await crashRounds(SEED, KILLS, killPlan);
    const found = Object.entries({ ...verdict, orphans }).map(([kind, { length }]) => `${kind} ${length}`);
    process.stderr.write(`crash: SEED=${SEED} ${JSON.stringify(reached)} ${found.join(", ")}\n`);

    expect({ verdict, orphans, files }).toEqual({ verdict: FAULTLESS, orphans: [], files: [] });
    expect(reached.insideCommit).toBeGreaterThanOrEqual(LEAST_INSIDE_COMMIT);
    expect(Object.keys(reached.ended).toSorted()).toEqual([
      "CANCELLED",
      "COMPLETED",
      "FAILED",
      "TIMED_OUT",
      "gone",
    ]);
    expect(reached.recovered).toBeGreaterThan(0);
    expect(reached.workersKilled).toBeGreaterThan(0);
    expect(reached.silentHandOuts).toBeGreaterThan(0);
  },
  KILLS * 6_000 + 120_000,
);
