import { type Endpoint, MOST_WORKERS } from "./endpoint.ts";
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
  /** A command of `forebay` that helps, complete; undefined if there is none. */
  readonly command?: string;
  /** The last lines that a failed worker printed; undefined if no worker failed. */
  readonly lastLines?: readonly string[] | undefined;
}

/** What is known of an endpoint and its workers. */
export interface EndpointFacts {
  readonly endpoint: Pick<Endpoint, "id" | "name" | "isPaused" | "workersMax" | "scalerType" | "scalerValue">;
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
  readonly now: number;
}

/** What is known of a waiting job and its endpoint. */
export interface WaitFacts extends EndpointFacts {
  /** The place in the queue: 1 is the next job. Undefined for jobs of the endpoint in general. */
  readonly position: number | undefined;
  readonly lowPriority: boolean;
  readonly queuedAt: number;
  /** The worker that may not get the job before `until`. */
  readonly barred: { readonly worker: string; readonly until: number } | undefined;
}

/** Why the job waits: the reason that must be fixed first. */
export function waitReason(facts: WaitFacts): WaitReason {
  const { endpoint } = facts;
  if (endpoint.isPaused) {
    return {
      code: "PAUSED",
      message: PAUSED_REASON,
      command: `forebay endpoints resume ${wordFor(endpoint)}`,
    };
  }
  return facts.isManaged ? ofStarted(facts) : ofOthers(facts);
}

/** Reasons that an endpoint shows even without a job: nobody could serve one. */
const ALWAYS: ReadonlySet<WaitCode> = new Set(["PAUSED", "NO_WORKERS", "CRASH_LOOP", "NO_ROOM"]);
/** Reasons that it shows while jobs wait. */
const WITH_JOBS: ReadonlySet<WaitCode> = new Set(["STARTING_WORKERS", "RELEASE", "AT_MAXIMUM"]);

/**
 * Why jobs of the endpoint wait, or would wait; undefined if they need not, or no longer than usual.
 * `waiting` is how many wait.
 */
export function endpointReason(facts: EndpointFacts, waiting: number): WaitReason | undefined {
  const queued = { position: undefined, lowPriority: false, queuedAt: facts.now, barred: undefined };
  const reason = waitReason({ ...facts, ...queued });
  const isShown = ALWAYS.has(reason.code) || (waiting > 0 && WITH_JOBS.has(reason.code));
  return isShown ? reason : undefined;
}

/** For an endpoint whose workers Forebay does not start. */
function ofOthers(facts: WaitFacts): WaitReason {
  const { ready, busy } = facts;
  if (ready.length > 0) return ofReady(facts);
  if (busy > 0) return { code: "WORKERS_BUSY", message: busySentence(facts, "Start more workers") };
  const message = "No worker is connected. Start one: `forebay worker env` prints the variables it needs.";
  const command = `forebay worker env --endpoint ${wordFor(facts.endpoint)}`;
  return { code: "NO_WORKERS", message, command };
}

/** For an endpoint whose workers Forebay starts. */
function ofStarted(facts: WaitFacts): WaitReason {
  const { endpoint, fleet, ready, busy, starting, unprovenVersion } = facts;
  if (ready.length > 0) return ofReady(facts);
  const failing = failingReason(facts);
  if (failing !== undefined) return failing;
  if (fleet?.state === "NO_ROOM") {
    return { code: "NO_ROOM", message: fleet.reason ?? "" };
  }
  if (unprovenVersion !== undefined && starting > 0) {
    const message =
      `The endpoint is changing to version ${unprovenVersion}. Its first worker must connect before others ` +
      "start. If that takes long, read its logs, or roll back.";
    return { code: "RELEASE", message, command: `forebay logs ${wordFor(endpoint)} -f` };
  }
  if (busy === 0 && starting > 0) return startingReason(facts);
  if (busy === 0 && endpoint.workersMax === 0) {
    const message = "workersMax of the endpoint is 0, so no worker starts. Set it to 1 or more.";
    return { code: "NO_WORKERS", message, command: raised(endpoint) };
  }
  if ((fleet?.throttled ?? 0) > 0 || busy + starting >= endpoint.workersMax) {
    return maximumReason(facts);
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
  if (position === undefined || position <= ready.length) {
    return { code: "NEXT", message: "A worker is free and gets the job in a moment." };
  }
  const free = ready.length === 1 ? "1 worker is free" : `${ready.length} workers are free`;
  return { code: "WORKERS_BUSY", message: `${free}${before(position)}. Start more workers.` };
}

/** Undefined if nothing prevents starts. */
function failingReason({ endpoint, fleet, busy }: WaitFacts): WaitReason | undefined {
  const isLoop = fleet?.state === "CRASH_LOOP";
  if (!isLoop && (fleet?.state !== "UNHEALTHY" || busy > 0)) return undefined;
  const { lastExit, nextStartAt } = fleet;
  const next = nextStartAt === undefined ? "" : ` The next start is at ${dateOf(nextStartAt)}.`;
  const what = isLoop ? "Workers exit before they connect" : "A worker exited or could not start";
  const how = lastExit === undefined ? "" : `: ${lastExit.how}`;
  const message = `${what}${how}.${next} Read its logs, then fix the template or the endpoint.`;
  const command = `forebay logs ${wordFor(endpoint)}`;
  return { code: "CRASH_LOOP", message, command, lastLines: lastExit?.lastLines };
}

function maximumReason(facts: WaitFacts): WaitReason {
  const { endpoint } = facts;
  if (endpoint.workersMax >= MOST_WORKERS) {
    const sentence = busySentence(facts, "Send jobs to a second endpoint, too");
    return { code: "AT_MAXIMUM", message: `workersMax has its highest value, ${MOST_WORKERS}. ${sentence}` };
  }
  const sentence = busySentence(facts, "Raise workersMax to run more at once");
  const message = `workersMax is ${endpoint.workersMax}. ${sentence}`;
  return { code: "AT_MAXIMUM", message, command: raised(endpoint) };
}

function startingReason({ endpoint, starting, startingSince }: WaitFacts): WaitReason {
  const since = startingSince === undefined ? "" : `, since ${dateOf(startingSince)}`;
  if (starting === 0) return { code: "STARTING_WORKERS", message: "A worker starts in a moment." };
  const some = starting === 1 ? "1 worker is" : `${starting} workers are`;
  const message = `${some} starting${since}. If that takes long, read the logs.`;
  return { code: "STARTING_WORKERS", message, command: `forebay logs ${wordFor(endpoint)} -f` };
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
  return `${workers}${before(position)}. ${advice}.`;
}

/** The end of a sentence: how many jobs wait before this one. */
function before(position: number | undefined): string {
  if (position === undefined) return "";
  if (position === 1) return ", and no job waits before this one";
  const jobs = position === 2 ? "1 job waits" : `${position - 1} jobs wait`;
  return `, and ${jobs} before this one`;
}

/** The command that allows one more worker. */
function raised(endpoint: WaitFacts["endpoint"]): string {
  return `forebay endpoints update ${wordFor(endpoint)} --workers-max ${endpoint.workersMax + 1}`;
}

/** The endpoint as a word of a shell: its name, or its id if the name would need quotes. */
function wordFor({ id, name }: WaitFacts["endpoint"]): string {
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) ? name : id;
}

function dateOf(time: number): string {
  return new Date(time).toISOString();
}
