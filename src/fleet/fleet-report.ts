import { type FleetReport, type FleetState, type LastExit, PAUSED_REASON } from "../domain/fleet-report.ts";
import { type Backoff, isCrashLoop } from "./backoff.ts";
import type { FleetDecision, FleetLimits, WorkerNow } from "./decide.ts";

/** What a look found and decided. */
export interface FleetLook {
  readonly limits: FleetLimits;
  readonly decision: FleetDecision;
  /** The workers before the decision was carried out. */
  readonly workers: readonly WorkerNow[];
  /** How many workers were started since. */
  readonly started: number;
  /** Why a worker that should have started fits nowhere, in a sentence; undefined if it does. */
  readonly noRoom: string | undefined;
  readonly backoff: Backoff | undefined;
  readonly lastExit: LastExit | undefined;
  readonly now: number;
}

/** Reports the state of a fleet to operators, and to clients why a job waits (design, row 23). */
export function fleetReport(look: FleetLook): FleetReport {
  const { decision, started, backoff, lastExit, now } = look;
  const until = backoff?.until ?? 0;
  const isWaiting = until > now;
  const state = stateOf(look, isWaiting);
  return {
    state,
    reason: reasonOf(state, look),
    nextStartAt: isWaiting ? until : undefined,
    lastExit,
    throttled: decision.throttled,
    unhealthy: isWaiting ? Math.max(0, decision.missing - started) : 0,
  };
}

function stateOf(look: FleetLook, isWaiting: boolean): FleetState {
  const { limits, decision, started, backoff } = look;
  const workers = look.workers.filter(({ isEnding }) => !isEnding);
  const starting = started + workers.filter(({ isStarting }) => isStarting).length;
  const isServed = workers.some(({ isStarting }) => !isStarting);
  if (limits.isPaused) return "PAUSED";
  if (isCrashLoop(backoff)) return "CRASH_LOOP";
  if (isWaiting && decision.missing > started) return "UNHEALTHY";
  if (starting > 0 && !isServed) return "STARTING";
  if (look.noRoom !== undefined) return "NO_ROOM";
  if (decision.throttled > 0) return "AT_MAXIMUM";
  if (starting > 0) return "STARTING";
  return isServed ? "RUNNING" : "IDLE";
}

function reasonOf(state: FleetState, { limits, noRoom, backoff, lastExit }: FleetLook): string | undefined {
  const how = lastExit?.how ?? "";
  switch (state) {
    case "PAUSED":
      return PAUSED_REASON;
    case "CRASH_LOOP":
      return (
        `The last ${backoff?.startUps ?? 0} workers exited before they connected. The last exit: ${how}. ` +
        "Forebay waits longer before each start. A change of the endpoint or its template starts one at once."
      );
    case "UNHEALTHY":
      return `A worker exited or could not start: ${how}. Forebay waits before the next start.`;
    case "STARTING":
      return "Workers are starting.";
    case "NO_ROOM":
      return noRoom;
    case "AT_MAXIMUM":
      return `The endpoint has workersMax workers: ${limits.workersMax}.`;
    case "RUNNING":
    case "IDLE":
      return undefined;
  }
}
