import { type FleetReport, PAUSED_REASON } from "../domain/fleet-report.ts";
import { servingOf } from "../domain/release.ts";
import type { Engine } from "./engine.ts";
import { fleetWordsOf } from "./fleet-words-of.ts";
import { isManaged } from "./is-managed.ts";
import { isPaused } from "./is-paused.ts";

export type FleetView = Pick<FleetReport, "state" | "reason" | "nextStartAt" | "lastExit"> & {
  /** How long it takes from the order to start a worker until it calls, ms on average; undefined so far. */
  readonly coldStart: number | undefined;
};

/**
 * How it is with the workers that Forebay starts for an endpoint, as far as the server tells that starts
 * them; undefined for an endpoint whose workers come by themselves.
 */
export function fleetOf(engine: Engine, endpoint: string): FleetView | undefined {
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

/** Why the newest release does not run; undefined where it does. */
function stoppedSentence({ configuration }: Engine, endpoint: string): string | undefined {
  const releases = configuration.releases(endpoint);
  const [newest] = releases;
  if (newest?.stopped === undefined) return undefined;
  return (
    `Release ${newest.number} was stopped: none of its workers came so far as to call; the last one: ` +
    `${newest.stopped.how}. Version ${servingOf(releases)?.number} serves on, until the endpoint or its ` +
    "template is changed, or rolled back."
  );
}

/** Said at once, before anybody has looked. */
const PAUSED = {
  state: "PAUSED",
  reason: PAUSED_REASON,
  nextStartAt: undefined,
} as const;
