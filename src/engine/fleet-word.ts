import type { FleetReport } from "../domain/fleet-report.ts";
import type { FleetState } from "./fleet-state.ts";

/** What a server tells the others about the workers that it starts for one endpoint. */
export interface FleetWord {
  /** Ids of workers that have not called yet. */
  readonly initializing: readonly string[];
  /** Ids of workers that get no more jobs. Older versions do not say it. */
  readonly draining?: readonly string[];
  readonly report?: FleetReport | undefined;
  /** The average time of a start, ms. */
  readonly coldStart?: number | undefined;
}

/** By the id of the endpoint. Endpoints with nothing to say are left out. */
export type FleetWords = Readonly<Record<string, FleetWord>>;

/** Limits of the last lines of a worker, because servers exchange them twice a second. */
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
