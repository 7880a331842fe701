import { expect, test } from "bun:test";
import { SEED } from "../support/seed.ts";
import { crashRounds } from "./crash-rounds.ts";
import type { KillPlan } from "./killed-run.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** `SEED=… KILLS=…` repeats the plan of a run; the moment of a kill within it is the machine's. */
const KILLS = Number(process.env["KILLS"] ?? 60);
const LEAST_INSIDE_COMMIT = KILLS / 5;

test(
  `P1, P22: ${KILLS} kills at random lose nothing and leave nothing half done (SEED=${SEED})`,
  async () => {
    const reached = await crashRounds(SEED, KILLS, killPlan);

    expect(reached.insideCommit).toBeGreaterThanOrEqual(LEAST_INSIDE_COMMIT);
    expect(reached.fail).toBeGreaterThan(0);
    expect(reached.unknown).toBeGreaterThan(0);
  },
  KILLS * 2_000,
);

/**
 * More than half of the kills aim at a commit, some of them so late that checkpoints run beside it; some of
 * the others come while the store is being opened.
 */
function killPlan(random: SeededRandom): KillPlan {
  const isLate = random.chance(0.1);
  if (random.chance(0.6)) {
    return { at: "commit", number: isLate ? random.integer(100, 230) : random.integer(1, 80) };
  }
  return { at: "time", ms: random.chance(0.3) ? random.integer(10, 80) : random.integer(80, 200) };
}
