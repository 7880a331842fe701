import { visibleText } from "../../domain/visible-text.ts";
import type { OutputStream } from "../worker-output.ts";

/** Lines of the last kind are Forebay's own words on the log. */
export type LogStream = OutputStream | "forebay";

/** Where the time stands in a line, to the millisecond. */
const TIME_START = '{"time":"'.length;
const TIME_LENGTH = "2026-01-31T12:00:00.000".length;

/** A line of a log as it is on the disk and in answers: JSON that no terminal obeys. */
export function logLine(time: string, stream: LogStream, line: string): string {
  return `${visibleText(JSON.stringify({ time, stream, line }))}\n`;
}

/** Whether a line was printed from `since` until `until`, both included and in the form of `timeText`. */
export function isBetween(line: Buffer, since: string | undefined, until: string | undefined): boolean {
  const time = line.toString("latin1", TIME_START, TIME_START + TIME_LENGTH);
  return (since === undefined || time >= since) && (until === undefined || time <= until);
}

/** To the millisecond, in UTC, without a sign for that: so that texts compare as their times do. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(0, TIME_LENGTH);
}

/** Tokens of workers and API keys, by their beginnings (src/engine/digest.ts, src/engine/key-text.ts). */
const TOKENS = /\b(fb[kw])_[A-Za-z0-9_-]{8,}/g;

/** The text with Forebay's tokens and keys as ***: a worker that prints its environment gives none away. */
export function maskTokens(text: string): string {
  return text.includes("fbw_") || text.includes("fbk_") ? text.replace(TOKENS, "$1_***") : text;
}
