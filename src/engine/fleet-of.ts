import { type FleetView, PAUSED_REASON } from "../domain/fleet-report.ts";
import { servingOf } from "../domain/release.ts";
import type { WithFleet } from "./fleet-state.ts";
import type { FleetWord } from "./fleet-word.ts";
import { isManaged, type ManagedEndpoints } from "./launch.ts";
import type { WithPeers } from "./peers.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import { isPaused } from "./take-step.ts";

/** What this server and its peers know of the workers that they start. */
export interface FleetSight extends WithFleet, WithPeers {}

/** What each server knows of the workers that it starts for an endpoint, this server first. */
export function fleetWordsOf({ fleet, peers }: FleetSight, endpoint: string): FleetWord[] {
  const initializing = [...fleet.managed]
    .filter(([, managed]) => managed.endpoint === endpoint && !managed.hasCalled)
    .map(([id]) => id);
  const here: FleetWord = {
    initializing,
    draining: [...fleet.draining, ...fleet.toReplace],
    report: fleet.reports.get(endpoint),
    coldStart: fleet.coldStarts.get(endpoint),
  };
  return [here, ...(peers?.fleetOf(endpoint) ?? [])];
}

/**
 * The state of the workers that Forebay starts for an endpoint, from the server that starts them; undefined
 * if Forebay starts none.
 */
export function fleetOf(engine: FleetSight & ManagedEndpoints, endpoint: string): FleetView | undefined {
  if (!isManaged(engine, endpoint)) return undefined;
  const words = fleetWordsOf(engine, endpoint);
  const { state, reason, nextStartAt, lastExit } = words.find(({ report }) => report)?.report ?? {
    state: "IDLE",
  };
  const coldStart = words.find((word) => word.coldStart !== undefined)?.coldStart;
  const shown = { lastExit, coldStart };
  if (isPaused(engine, endpoint)) return { ...shown, ...PAUSED };
  return { ...shown, state, reason: stoppedSentence(engine, endpoint) ?? reason, nextStartAt };
}

/** Why the newest release does not run; undefined if it does. */
function stoppedSentence({ configuration }: WithConfiguration, endpoint: string): string | undefined {
  const releases = configuration.releases(endpoint);
  const [newest] = releases;
  if (newest?.stopped === undefined) return undefined;
  return (
    `Release ${newest.number} was stopped: its workers exited before they connected. The last exit: ` +
    `${newest.stopped.how}. Version ${servingOf(releases)?.number} keeps running. Change the endpoint ` +
    "or its template, or roll back."
  );
}

/** The report before the first look. */
const PAUSED = {
  state: "PAUSED",
  reason: PAUSED_REASON,
  nextStartAt: undefined,
} as const;
