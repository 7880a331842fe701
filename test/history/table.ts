import type { Verdict } from "./check-history.ts";
import type { Faults } from "./faults.ts";

/**
 * The verdict as a table of one row, with the faults below it. Only acknowledged, recovered and unknown may
 * be above 0.
 */
export function tableOf(title: string, { acknowledged, recovered, unknown, faults }: Verdict): string {
  const columns: Record<string, number> = {
    acknowledged,
    lost: faults.lost.length,
    unexpected: faults.unexpected.length,
    duplicated: faults.duplicated.length,
    recovered,
    unknown,
    illegal: faults.illegal.length,
    "not linearizable": faults.notLinearizable.length,
  };
  const names = Object.keys(columns);
  const figures = Object.entries(columns).map(([name, count]) => String(count).padStart(name.length));
  const found = KINDS.flatMap((kind) => faults[kind].map((fault) => `  ${kind}: ${fault}\n`));
  return `${title}\n  ${names.join("  ")}\n  ${figures.join("  ")}\n${found.join("")}`;
}

const KINDS: readonly (keyof Faults)[] = ["lost", "unexpected", "duplicated", "illegal", "notLinearizable"];
