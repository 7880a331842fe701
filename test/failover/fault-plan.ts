import type { SeededRandom } from "../crash/seeded-random.ts";

export type FaultKind = keyof typeof SHARES;

/** Of 50 faults so many are of each kind. */
const SHARES = {
  /** A Forebay server: SIGKILL. */
  server: 12,
  /** The primary with all its processes; the standby takes over, and gets a standby of its own. */
  primary: 10,
  /** The standby with all its processes: commits wait until there is one again. */
  standby: 8,
  /** One process of the primary, which then ends all others and recovers. */
  backend: 6,
  /** One connection, as an administrator ends it. */
  connection: 7,
  /** The connection that listens, of one server. */
  listener: 7,
} as const;

/** The kinds in the order of their strikes. */
export function faultPlan(random: SeededRandom, count: number): FaultKind[] {
  const all = Object.entries(SHARES).flatMap(([kind, share]) =>
    Array<FaultKind>(share).fill(kind as FaultKind),
  );
  const plan = Array.from({ length: Math.ceil(count / all.length) }, () => shuffled(all, random)).flat();
  return plan.slice(0, count);
}

function shuffled<Value>(values: readonly Value[], random: SeededRandom): Value[] {
  const rest = [...values];
  return Array.from(values, () => rest.splice(random.integer(0, rest.length - 1), 1)).flat();
}
