import type { CrashPoint } from "./faulty-store.ts";
import { type Random, random } from "./random.ts";
import { WINDOW_FAULTS, type WindowFault } from "./weather.ts";

/** What a worker does with a job. It stands in the input, so that a plan decides it. */
export interface Work {
  readonly tag: string;
  /** How long the handler runs, ms. */
  readonly ms: number;
  readonly chunks: number;
  readonly progress: boolean;
  readonly fails: boolean;
  /** Half of its hand-outs fail at once, the others need their time. */
  readonly isMoody?: boolean;
  /** An async handler ends when it is told to stop; another one runs on and reports. */
  readonly stops: boolean;
  /** Characters of the output. */
  readonly size: number;
}

export interface Submit {
  readonly what: "run" | "runsync";
  readonly endpoint: number;
  readonly work: Work;
  readonly hasKey: boolean;
  readonly hasWebhook: boolean;
  /** The client asks every half second how it is, and retries it as soon as it fails. */
  readonly isWatched?: boolean;
  readonly ttl?: number | undefined;
  readonly executionTimeout?: number | undefined;
  readonly wait: number;
  /** Characters of the input beside the work. */
  readonly size: number;
}

/** What a client does to a job that it knows: the one at this place among them, of 1. */
export interface OnJob {
  readonly what: "status" | "stream" | "stream from" | "cancel" | "retry";
  readonly place: number;
}

export interface OnEndpoint {
  readonly what: "purge" | "health" | "requests";
  readonly endpoint: number;
}

export type Command = Submit | OnJob | OnEndpoint;

export type Fault =
  | {
      readonly fault: "window";
      readonly kind: WindowFault;
      readonly ms: number;
      readonly chance: number;
      readonly stream: number;
    }
  | { readonly fault: "crash"; readonly server: number; readonly downtime: number }
  | {
      readonly fault: "crash at commit";
      readonly server: number;
      readonly point: CrashPoint;
      readonly downtime: number;
    }
  | { readonly fault: "stop"; readonly server: number; readonly downtime: number }
  | { readonly fault: "pause"; readonly server: number; readonly ms: number }
  | { readonly fault: "clock step"; readonly by: number }
  | {
      readonly fault: "worker crash";
      readonly worker: number;
      readonly downtime: number;
      /** The machine disappears: nobody closes its connections. */
      readonly isSilent: boolean;
    }
  | { readonly fault: "worker pause"; readonly worker: number; readonly ms: number };

/** All that happens to a world from outside, by time. */
export interface Plan {
  readonly seed: number;
  readonly servers: number;
  readonly items: readonly (Timed<Command> | Timed<Fault>)[];
}

export type Timed<Item> = Item & { readonly at: number };

/** Workers of a world, over both endpoints. */
const WORKERS = 6;
const NEEDED_WORKERS: ReadonlySet<number> = new Set([0, 3]);
/** Their results name no attempt. */
const SDK_WORKERS = [0, 2, 3, 4, 5];
/** The workers from here on belong to the second endpoint. */
const FIRST_OF_HASTY = 3;
/** No other submission has such a number. */
const LATE_TAGS = 1_000;
/** Longer than any world, ms. */
const FOREVER = 86_400_000;

/** How long clients are active and faults come, ms. */
export const ACTIVE = 40_000;
/** In a quiet world nothing but its own timers brings a job on. */
const QUIET = 25;
const COMMANDS = [QUIET, 240, 240];
const FAULTS = 14;
const CRASH_POINTS: readonly CrashPoint[] = [
  "before commit",
  "inside commit",
  "after commit",
  "after payload",
];

/** The plan of a seed. Some worlds have no faults. */
export function planOf(seed: number): Plan {
  const stream = random(seed, "plan");
  const servers = stream.pick([1, 1, 2, 2, 3]);
  const items: Plan["items"][number][] = [];
  const commands = stream.pick(COMMANDS);
  for (let index = 0; index < commands; index++) {
    items.push({ at: stream.below(ACTIVE), ...command(stream, index) });
  }
  const faults = stream.chance(0.08) ? 0 : stream.between(3, FAULTS);
  for (let index = 0; index < faults; index++) {
    items.push({ at: stream.below(ACTIVE), ...fault(stream, servers, index) });
  }
  if (commands !== QUIET) items.push(...lateResults(random(seed, "late results")));
  if (commands === QUIET && faults > 0) {
    items.push({ at: 0, fault: "window", kind: "signal lost", ms: ACTIVE, chance: 1, stream: FAULTS });
  }
  return { seed, servers, items: items.toSorted((one, other) => one.at - other.at) };
}

/**
 * A worker of the public SDK stands still with a job. Others get the job meanwhile, and fail. It is retried:
 * the first one reports when a later run is under way.
 */
function lateResults(stream: Random): Plan["items"][number][] {
  const worker = stream.pick(SDK_WORKERS);
  const endpoint = worker < FIRST_OF_HASTY ? 0 : 1;
  const at = stream.below(ACTIVE / 2);
  const submissions = [1, 2, 3, 4].map((index): Timed<Submit> => ({
    at: at + stream.below(200),
    what: "run",
    endpoint,
    work: {
      tag: `t${LATE_TAGS + index}`,
      ms: stream.between(3_000, 9_000),
      chunks: 0,
      progress: false,
      fails: false,
      isMoody: true,
      stops: false,
      size: 0,
    },
    hasKey: true,
    hasWebhook: stream.chance(0.5),
    isWatched: true,
    wait: 0,
    size: 0,
  }));
  const pause = {
    at: at + 1_000,
    fault: "worker pause",
    worker,
    ms: stream.between(10_500, 15_000),
  } as const;
  return [...submissions, pause];
}

function command(stream: Random, index: number): Command {
  const kind = stream.below(100);
  if (kind < 34) return submission(stream, index, "run");
  if (kind < 42) return submission(stream, index, "runsync");
  // Mostly the newest jobs: there something happens.
  const place = 1 - (stream.below(1_000) / 1_000) ** 3;
  if (kind < 62) return { what: "status", place };
  if (kind < 70) return { what: stream.pick(["stream", "stream from"]), place };
  if (kind < 82) return { what: "cancel", place };
  if (kind < 95) return { what: "retry", place };
  return { what: stream.pick(["purge", "health", "requests"]), endpoint: stream.below(2) };
}

function submission(stream: Random, index: number, what: Submit["what"]): Submit {
  const endpoint = stream.below(2);
  const isHasty = endpoint === 1;
  return {
    what,
    endpoint,
    work: {
      tag: `t${index}`,
      ms: stream.chance(0.7) ? stream.between(0, 800) : stream.between(800, 9_000),
      chunks: stream.chance(0.3) ? stream.between(1, 4) : 0,
      progress: stream.chance(0.15),
      fails: stream.chance(0.25),
      stops: stream.chance(0.5),
      size: stream.chance(0.03) ? 70_000 : stream.between(0, 40),
    },
    hasKey: stream.chance(0.5),
    hasWebhook: stream.chance(0.35),
    ttl: isHasty && stream.chance(0.3) ? stream.between(10_000, 20_000) : undefined,
    executionTimeout: isHasty && stream.chance(0.4) ? stream.between(5_001, 9_000) : undefined,
    wait: stream.between(1_000, 8_000),
    size: stream.chance(0.03) ? 70_000 : 0,
  };
}

function fault(stream: Random, servers: number, index: number): Fault {
  const server = stream.below(servers);
  const downtime = stream.between(200, 4_000);
  const worker = stream.below(WORKERS);
  const kind = stream.below(100);
  if (kind < 55) {
    const kind = stream.pick(WINDOW_FAULTS);
    // A webhook fails for good after half a minute.
    const ms = stream.between(500, kind.startsWith("receiver") ? 40_000 : 10_000);
    return { fault: "window", kind, ms, chance: stream.pick([0.02, 0.1, 0.3, 0.7, 1]), stream: index };
  }
  if (kind < 61) return { fault: "crash", server, downtime };
  if (kind < 73) return { fault: "crash at commit", server, point: stream.pick(CRASH_POINTS), downtime };
  if (kind < 77) return { fault: "stop", server, downtime };
  if (kind < 84) return { fault: "pause", server, ms: stream.between(500, 12_000) };
  if (kind < 87) return { fault: "clock step", by: stream.pick([-60_000, -3_000, 2_000, 5_000, 20_000]) };
  if (kind < 96) {
    // One worker of each endpoint comes back; another can stay away for good.
    const staysAway = !NEEDED_WORKERS.has(worker) && stream.chance(0.3);
    const away = staysAway ? FOREVER : downtime;
    return { fault: "worker crash", worker, downtime: away, isSilent: stream.chance(0.4) };
  }
  return { fault: "worker pause", worker, ms: stream.between(1_000, 15_000) };
}
