/** Durations as people write them. The console uses this file, too: it imports nothing. */
const UNITS = [
  { unit: "d", ms: 86_400_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "m", ms: 60_000 },
  { unit: "s", ms: 1_000 },
  { unit: "ms", ms: 1 },
] as const;

/** Completes a sentence: "--ttl must be …". */
export const DURATION_FORM = "a duration such as 500ms, 30s, 10m, 24h, 7d or 1h 30m";

/** From the largest unit to the smallest, each at most once. */
const FORM = new RegExp(`^${UNITS.map(({ unit }) => `(?:([0-9]{1,9})\\s?${unit})?`).join("\\s?")}$`);

/** The milliseconds of a text that `DURATION_FORM` describes; undefined for other texts. */
export function durationIn(text: string): number | undefined {
  // Runs of spaces would take the pattern long.
  const given = text.trim().toLowerCase().replace(/\s+/g, " ");
  const counts = FORM.exec(given)?.slice(1);
  if (given === "" || counts === undefined) return undefined;
  return UNITS.reduce((sum, { ms }, index) => sum + Number(counts[index] ?? 0) * ms, 0);
}

/** The same for what took milliseconds before it took durations: a whole number is milliseconds. */
export function durationOrMilliseconds(text: string): number | undefined {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : durationIn(text);
}

/** A text that `durationIn` reads as this number of whole milliseconds, such as `1h 30m`. */
export function durationInUnits(duration: number): string {
  let rest = duration;
  const parts: string[] = [];
  for (const { unit, ms } of UNITS) {
    const count = Math.floor(rest / ms);
    rest -= count * ms;
    if (count > 0) parts.push(`${count}${unit}`);
  }
  return parts.length === 0 ? "0s" : parts.join(" ");
}
