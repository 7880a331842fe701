import type { Endpoint } from "./endpoint.ts";
import { type FleetReport, PAUSED_REASON } from "./fleet-report.ts";

/** Why a job waits (design, row 23). */
export const WAIT_CODES = [
  /** The job is about to be handed out. */
  "NEXT",
  /** All workers have jobs. */
  "WORKERS_BUSY",
  /** The same, and another worker starts when a job has waited longer. */
  "SCALING_DELAY",
  /** The same, and no more workers are allowed. */
  "AT_MAXIMUM",
  /** The next worker fits nowhere now: too few GPUs are free. */
  "NO_ROOM",
  /** Workers were started, or will be, and have not called yet. */
  "STARTING_WORKERS",
  /** Forebay starts no workers here: somebody must start one. */
  "NO_WORKERS",
  /** The last workers ended by themselves, or could not be started. */
  "CRASH_LOOP",
  /** The job waits for the first worker of a new version. */
  "RELEASE",
  /** Only the last worker of the job is free, and may not get it yet. */
  "BARRED",
  /** The endpoint is paused. */
  "PAUSED",
] as const;

export type WaitCode = (typeof WAIT_CODES)[number];

export interface WaitReason {
  readonly code: WaitCode;
  /** A sentence: the reason, and what to do. */
  readonly message: string;
}

/** What is known of a waiting job and its endpoint. */
export interface WaitFacts {
  readonly endpoint: Pick<Endpoint, "isPaused" | "workersMax" | "scalerType" | "scalerValue">;
  /** Whether Forebay starts the workers. */
  readonly isManaged: boolean;
  /** The report of the last look at them; undefined if there is none. */
  readonly fleet:
    Pick<FleetReport, "state" | "reason" | "throttled" | "lastExit" | "nextStartAt"> | undefined;
  /** How many workers were started and have not called, and when the first of them was started. */
  readonly starting: number;
  readonly startingSince: number | undefined;
  /** How many live workers have jobs. */
  readonly busy: number;
  /** Ids of live workers that would get a job now. */
  readonly ready: readonly string[];
  /** The version whose first worker is awaited while another version serves. */
  readonly unprovenVersion: number | undefined;
  /** The place in the queue: 1 is the next job. */
  readonly position: number;
  readonly lowPriority: boolean;
  readonly queuedAt: number;
  /** The worker that may not get the job before `until`. */
  readonly barred: { readonly worker: string; readonly until: number } | undefined;
  readonly now: number;
}

/** Why the job waits: the reason that must be fixed first. */
export function waitReason(facts: WaitFacts): WaitReason {
  if (facts.endpoint.isPaused) return { code: "PAUSED", message: PAUSED_REASON };
  return facts.isManaged ? ofStarted(facts) : ofOthers(facts);
}

/** For an endpoint whose workers Forebay does not start. */
function ofOthers(facts: WaitFacts): WaitReason {
  const { ready, busy } = facts;
  if (ready.length > 0) return ofReady(facts);
  if (busy > 0) return { code: "WORKERS_BUSY", message: busySentence(facts, "Start more workers") };
  const message = "No worker is connected. Start one: `forebay worker env` prints the variables it needs.";
  return { code: "NO_WORKERS", message };
}

/** For an endpoint whose workers Forebay starts. */
function ofStarted(facts: WaitFacts): WaitReason {
  const { endpoint, fleet, ready, busy, starting, unprovenVersion } = facts;
  if (ready.length > 0) return ofReady(facts);
  const failing = failingReason(facts);
  if (failing !== undefined) return failing;
  if (fleet?.state === "NO_ROOM") return { code: "NO_ROOM", message: fleet.reason ?? "" };
  if (unprovenVersion !== undefined && starting > 0) {
    const message =
      `The endpoint is changing to version ${unprovenVersion}. Its first worker must connect before others ` +
      "start. If that takes long, read its logs, or roll back.";
    return { code: "RELEASE", message };
  }
  if (busy === 0 && starting > 0) return startingReason(facts);
  if (busy === 0 && endpoint.workersMax === 0) {
    const message = "workersMax of the endpoint is 0, so no worker starts. Set it to 1 or more.";
    return { code: "NO_WORKERS", message };
  }
  if ((fleet?.throttled ?? 0) > 0 || busy + starting >= endpoint.workersMax) {
    const sentence = busySentence(facts, "Raise workersMax to run more at once");
    return { code: "AT_MAXIMUM", message: `workersMax is ${endpoint.workersMax}. ${sentence}` };
  }
  if (starting > 0) return startingReason(facts);
  if (facts.lowPriority) return lowPriorityReason(facts);
  return busy === 0 ? startingReason(facts) : delayReason(facts);
}

/** For a job that is one of the next, with a free worker. */
function ofReady(facts: WaitFacts): WaitReason {
  const { ready, barred, position, now } = facts;
  const isBarred = barred !== undefined && barred.until > now && ready.every((id) => id === barred.worker);
  if (isBarred) {
    const message =
      `The only free worker, ${barred.worker}, lost this job and may still be running it. It can get the ` +
      `job again from ${dateOf(barred.until)} on. Any other worker gets it at once.`;
    return { code: "BARRED", message };
  }
  if (position <= ready.length) {
    return { code: "NEXT", message: "A worker is free and gets the job in a moment." };
  }
  const free = ready.length === 1 ? "1 worker is free" : `${ready.length} workers are free`;
  return { code: "WORKERS_BUSY", message: `${free}, and ${before(position)} this one. Start more workers.` };
}

/** Undefined if nothing prevents starts. */
function failingReason({ fleet, busy }: WaitFacts): WaitReason | undefined {
  const isLoop = fleet?.state === "CRASH_LOOP";
  if (!isLoop && (fleet?.state !== "UNHEALTHY" || busy > 0)) return undefined;
  const { lastExit, nextStartAt } = fleet;
  const line = lastExit?.lastLines.at(-1);
  const printed = line === undefined || line === "" ? "" : `. Its last output: ${line}`;
  const next = nextStartAt === undefined ? "" : ` The next start is at ${dateOf(nextStartAt)}.`;
  const what = isLoop ? "Workers exit before they connect" : "A worker exited or could not start";
  const how = lastExit === undefined ? "" : `: ${lastExit.how}${printed}`;
  const message = `${what}${how}.${next} Read its logs, then fix the template or the endpoint.`;
  return { code: "CRASH_LOOP", message };
}

function startingReason({ starting, startingSince }: WaitFacts): WaitReason {
  const since = startingSince === undefined ? "" : `, since ${dateOf(startingSince)}`;
  const message =
    starting === 0
      ? "A worker starts in a moment."
      : `${starting === 1 ? "1 worker is" : `${starting} workers are`} starting${since}. ` +
        "If that takes long, read the logs.";
  return { code: "STARTING_WORKERS", message };
}

function lowPriorityReason(facts: WaitFacts): WaitReason {
  if (facts.busy > 0) return { code: "WORKERS_BUSY", message: busySentence(facts, LOW_PRIORITY) };
  return { code: "NO_WORKERS", message: `No worker runs. ${LOW_PRIORITY}.` };
}

const LOW_PRIORITY = "A low-priority job starts no worker. To start one, submit the job without lowPriority";

/** For busy workers, if more are allowed. */
function delayReason(facts: WaitFacts): WaitReason {
  const { endpoint, queuedAt, now } = facts;
  const lateFrom = queuedAt + endpoint.scalerValue * 1_000;
  if (endpoint.scalerType === "QUEUE_DELAY" && lateFrom >= now) {
    const message =
      `${busySentence(facts, "To start workers sooner, lower scalerValue")} Another worker starts ` +
      `when the job has waited for ${endpoint.scalerValue} s, at ${dateOf(lateFrom)}.`;
    return { code: "SCALING_DELAY", message };
  }
  const advice = "The scaler has started enough workers for this queue. To start more, lower scalerValue";
  return { code: "WORKERS_BUSY", message: busySentence(facts, advice) };
}

function busySentence({ busy, position }: WaitFacts, advice: string): string {
  const some = busy === 1 ? "The only worker is busy" : `All ${busy} workers are busy`;
  const workers = busy === 0 ? "The remaining workers are stopping" : some;
  return `${workers}, and ${before(position)} this one. ${advice}.`;
}

function before(position: number): string {
  if (position === 1) return "no job waits before";
  return position === 2 ? "1 job waits before" : `${position - 1} jobs wait before`;
}

function dateOf(time: number): string {
  return new Date(time).toISOString();
}
