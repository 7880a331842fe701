import type { SeededRandom } from "../crash/seeded-random.ts";
import type { KillPlan } from "./killed-server.ts";

/** More than half of the kills aim at a commit; a few come while the server starts. */
export function killPlan(random: SeededRandom): KillPlan {
  const roll = random.next();
  if (roll < 0.6) return { at: "commit", number: random.integer(1, 250) };
  if (roll < 0.7) return { at: "launch", ms: random.integer(20, 400) };
  return { at: "time", ms: random.chance(0.1) ? random.integer(1_500, 3_000) : random.integer(0, 1_000) };
}
