import { CommandFault } from "../command-fault.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The milliseconds of a text like 500ms, 60s, 5m or 1h. Throws CommandFault. */
export function durationOf(flag: string, text: string): number {
  const [, count = "", unit = ""] = /^([0-9]{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined)
    throw new CommandFault(`${flag} takes a time like 500ms, 60s or 5m, got ${text}.`);
  return Math.min(Number(count) * factor, 2 ** 31 - 1);
}
