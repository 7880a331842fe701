import type { FleetReport } from "../domain/fleet-report.ts";
import type { FleetState } from "./fleet-state.ts";

/** What a server tells of the workers of one endpoint that it starts. */
export interface FleetWord {
  /** Ids of those that have not called yet. */
  readonly initializing: readonly string[];
  /** Ids of those that get no more jobs. Not said by a server of a version before. */
  readonly draining?: readonly string[];
  readonly report?: FleetReport | undefined;
  /** How long a start takes, ms on average. */
  readonly coldStart?: number | undefined;
}

/** By the ids of the endpoints; those of which there is nothing to tell are left out. */
export type FleetWords = Readonly<Record<string, FleetWord>>;

/** Servers tell each other twice a second: only so many of the last lines of a worker, each so long. */
const LINES = 3;
const LINE_LENGTH = 200;

export function fleetWords({ managed, reports, coldStarts, draining, toReplace }: FleetState): FleetWords {
  const words: Record<string, FleetWord> = {};
  for (const [endpoint, report] of reports) {
    const coldStart = coldStarts.get(endpoint);
    if (report.state === "IDLE" && report.lastExit === undefined && coldStart === undefined) continue;
    words[endpoint] = { initializing: [], report: shortened(report), coldStart };
  }
  for (const [id, { endpoint, hasCalled }] of managed) {
    const word = words[endpoint] ?? { initializing: [] };
    const isEnding = draining.has(id) || toReplace.has(id);
    if (!hasCalled) words[endpoint] = { ...word, initializing: [...word.initializing, id] };
    if (isEnding)
      words[endpoint] = { ...(words[endpoint] ?? word), draining: [...(word.draining ?? []), id] };
  }
  return words;
}

function shortened({ lastExit, ...report }: FleetReport): FleetReport {
  if (lastExit === undefined) return { ...report, lastExit };
  const lines = lastExit.lastLines.slice(-LINES).map((line) => line.slice(0, LINE_LENGTH));
  return { ...report, lastExit: { ...lastExit, lastLines: lines } };
}
