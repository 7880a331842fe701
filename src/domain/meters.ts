import type { DiskSpace } from "./disk-space.ts";
import { emptyHistogram, type Histogram } from "./histogram.ts";

/** What a server counts of itself since its start, besides jobs (`figures.ts`). */
export interface Meters {
  /** By the path of the route; requests without a route are under "". */
  readonly requests: Map<string, RequestMeter>;
  /** Refused requests, by operation and limit. */
  readonly limits: Map<string, number>;
  readonly webhooks: Record<WebhookOutcome, number>;
  /** How long transactions take, in the unit of `FINE`. */
  readonly commits: Histogram;
  /** How many steps each transaction had. */
  readonly steps: Histogram;
  readonly vitals: Vitals;
  /** How many clients read Server-Sent Events now. */
  liveReaders: number;
  /** Whether this server is the leader. */
  leads: () => boolean;
  readonly disk: WatchedDisk;
}

/** The file system with the data directory. */
export interface WatchedDisk {
  /** As of the last look; undefined before it, for data in memory, and if the file system does not say. */
  space(): DiskSpace | undefined;
  look(): Promise<void>;
}

export interface RequestMeter {
  /** How many answers had a status of 100 to 199, 200 to 299, … */
  readonly classes: number[];
  /** How long it took until the answer began, in the unit of `FINE`. */
  readonly durations: Histogram;
}

export type WebhookOutcome = "delivered" | "retry" | "given_up";

/** The units in a millisecond. Histograms of short times count in this unit. */
export const FINE = 100;

/** Measurements of the process. */
export interface Vitals {
  /** Wall-clock time, ms. */
  readonly startedAt: number;
  readonly uptime: () => number;
  /** The delays of a timer, in the unit of `FINE`. */
  readonly loopDelays: Histogram;
  /** Bytes. */
  readonly memory: () => number;
  /** Of all cores together, ms. */
  readonly cpu: () => number;
  /** Starts a stopwatch. The answer tells the time since then, ms. */
  readonly stopwatch: () => () => number;
  readonly stop: () => void;
}

export function newMeters(vitals: Vitals, disk: WatchedDisk): Meters {
  return {
    requests: new Map(),
    limits: new Map(),
    webhooks: { delivered: 0, retry: 0, given_up: 0 },
    commits: emptyHistogram(),
    steps: emptyHistogram(),
    vitals,
    liveReaders: 0,
    leads: () => false,
    disk,
  };
}

/** The meter of a route, created at its first request. */
export function requestMeter({ requests }: Meters, path: string): RequestMeter {
  const present = requests.get(path);
  if (present !== undefined) return present;
  const meter: RequestMeter = { classes: [0, 0, 0, 0, 0, 0], durations: emptyHistogram() };
  requests.set(path, meter);
  return meter;
}
