import { visibleText } from "../../domain/visible-text.ts";
import type { LogLine } from "../../domain/log.ts";

/** The place of the time in a line, to the millisecond. */
const TIME_START = '{"time":"'.length;
const TIME_LENGTH = "2026-01-31T12:00:00.000".length;

/** A line of a log, on the disk and in answers: JSON without terminal control characters. */
export function logLine(time: string, stream: LogLine["stream"], line: string): string {
  const entry: LogLine = { time, stream, line };
  return `${visibleText(JSON.stringify(entry))}\n`;
}

/** Whether a line was printed between `since` and `until`, both included, in the form of `timeText`. */
export function isBetween(line: Buffer, since: string | undefined, until: string | undefined): boolean {
  const time = line.toString("latin1", TIME_START, TIME_START + TIME_LENGTH);
  return (since === undefined || time >= since) && (until === undefined || time <= until);
}

/** A time in UTC to the millisecond, without a zone, so that times compare as texts. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, TIME_LENGTH);
}

/** The prefixes of worker tokens and API keys (src/engine/digest.ts). */
const TOKENS = /\b(fb[kw])_[A-Za-z0-9_-]{8,}/g;

/**
 * The text with Forebay's tokens and keys as ***, so that a worker that prints its environment leaks none.
 */
export function maskTokens(text: string): string {
  return text.includes("fbw_") || text.includes("fbk_") ? text.replace(TOKENS, "$1_***") : text;
}
