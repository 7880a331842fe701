import { EXACT_LIMIT, RATE_WINDOW } from "../../domain/rate-limits.ts";
import type { GateLimit, Refusal } from "./gate.ts";
import type { WindowEntry } from "./sliding-window.ts";

/** What all servers know of one operation of one endpoint. */
export interface SharedCounts {
  /** Requests that were let in, in the order of their times. */
  readonly used: readonly WindowEntry[];
  /** How many each server has in flight. */
  readonly inFlight: Readonly<Record<string, number>>;
}

export const NO_COUNTS: SharedCounts = { used: [], inFlight: {} };

/** What a server adds to the counts, and what it asks for. */
export interface CountsReport {
  readonly server: string;
  readonly now: number;
  /** What it has let in without asking, in the order of the times. */
  readonly used: readonly WindowEntry[];
  readonly inFlight: number;
  /** The most that it had in flight recently. */
  readonly peakInFlight: number;
  /** How many may be in flight; undefined: any number, and the counts do not contain them. */
  readonly concurrent: number | undefined;
  /** The requests that wait to be let in, in order. */
  readonly asks: readonly GateLimit[];
  /** Times are rounded up to slices of this many ms. */
  readonly slice: number;
  readonly isGone: (server: string) => boolean;
}

export interface CountsAnswer {
  readonly counts: SharedCounts;
  /** One for each request that waits. */
  readonly refusals: readonly Refusal[];
  /** How many requests in flight the others now allow for. */
  readonly toldInFlight: number;
}

/** Adds a report to the counts, then lets in what has room. */
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
 * How many requests in flight the others shall allow for. While there is enough room for all this is the
 * recent peak, so that the server need not report each request.
 */
function toTell({ concurrent, peakInFlight }: CountsReport, inFlight: number, others: number): number {
  if (concurrent === undefined) return 0;
  const isCrowded = concurrent <= EXACT_LIMIT || others + peakInFlight > concurrent / 2;
  return isCrowded ? inFlight : Math.max(inFlight, peakInFlight);
}

/** Both together in the order of the times; the times of `second` are rounded up to slices. */
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
