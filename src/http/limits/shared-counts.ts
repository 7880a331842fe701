import { EXACT_LIMIT, RATE_WINDOW } from "../../domain/rate-limits.ts";
import type { GateLimit, Refusal } from "./gate.ts";
import type { WindowEntry } from "./sliding-window.ts";

/** What servers know together of one operation of one endpoint. */
export interface SharedCounts {
  /** Requests that were let in, in the order of their times. */
  readonly used: readonly WindowEntry[];
  /** How many each server has in flight. */
  readonly inFlight: Readonly<Record<string, number>>;
}

export const NO_COUNTS: SharedCounts = { used: [], inFlight: {} };

/** What a server has to say, and what it asks for. */
export interface CountsReport {
  readonly server: string;
  readonly now: number;
  /** What it has let in without asking, in the order of the times. */
  readonly used: readonly WindowEntry[];
  readonly inFlight: number;
  /** The most that it had in flight of late. */
  readonly peakInFlight: number;
  /** How many may be in flight; undefined: any number, and then nobody is told of them. */
  readonly concurrent: number | undefined;
  /** The requests that wait to be let in, in their order. */
  readonly asks: readonly GateLimit[];
  /** Times are kept to so many ms: one counts until the end of its slice. */
  readonly slice: number;
  readonly isGone: (server: string) => boolean;
}

export interface CountsAnswer {
  readonly counts: SharedCounts;
  /** One for each of the requests that wait. */
  readonly refusals: readonly Refusal[];
  /** How many requests of the server the others now allow for. */
  readonly toldInFlight: number;
}

/** Adds a report to the counts, and lets in what has room then. */
export function addReport(counts: SharedCounts, report: CountsReport): CountsAnswer {
  const { server, now, asks, slice, isGone } = report;
  const before = merged(counts.used, report.used, slice).filter(([time]) => time > now - RATE_WINDOW);
  const others = Object.entries(counts.inFlight).filter(([name]) => name !== server && !isGone(name));
  const othersInFlight = others.reduce((sum, [, requests]) => sum + requests, 0);
  let used = before.reduce((sum, [, requests]) => sum + requests, 0);
  let inFlight = report.inFlight;
  let admitted = 0;
  const refusals = asks.map(({ requests, concurrent }): Refusal => {
    if (used >= requests) return "requests";
    if (concurrent !== undefined && othersInFlight + inFlight >= concurrent) return "concurrent";
    used++;
    inFlight++;
    admitted++;
    return undefined;
  });
  const toldInFlight = toTell(report, inFlight, othersInFlight);
  return {
    counts: {
      used: admitted === 0 ? before : merged(before, [[now, admitted]], slice),
      inFlight: Object.fromEntries(toldInFlight === 0 ? others : [...others, [server, toldInFlight]]),
    },
    refusals,
    toldInFlight,
  };
}

/**
 * How many in flight the others are to allow for: those of late, so that they need not be told of each, as
 * long as there is room enough for all.
 */
function toTell({ concurrent, peakInFlight }: CountsReport, inFlight: number, others: number): number {
  if (concurrent === undefined) return 0;
  const isCrowded = concurrent <= EXACT_LIMIT || others + peakInFlight > concurrent / 2;
  return isCrowded ? inFlight : Math.max(inFlight, peakInFlight);
}

/** Both together, those of the second by slices, in the order of the times. */
export function merged(
  first: readonly WindowEntry[],
  second: readonly WindowEntry[],
  slice: number,
): WindowEntry[] {
  if (second.length === 0) return [...first];
  const all = new Map(first);
  for (const [time, requests] of second) {
    const end = Math.ceil(time / slice) * slice;
    all.set(end, (all.get(end) ?? 0) + requests);
  }
  return [...all].sort(([a], [b]) => a - b);
}
