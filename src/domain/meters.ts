import type { DiskSpace } from "./disk-space.ts";
import { emptyHistogram, type Histogram } from "./histogram.ts";

/** What a server counts of itself since it started, beside what happens to jobs (`figures.ts`). */
export interface Meters {
  /** By the path of the route; what no route was found for is under "". */
  readonly requests: Map<string, RequestMeter>;
  /** Refused requests, by operation and limit. */
  readonly limits: Map<string, number>;
  readonly webhooks: Record<WebhookOutcome, number>;
  /** Of transactions, in the unit of `FINE`. */
  readonly commits: Histogram;
  /** How many steps each of them had. */
  readonly steps: Histogram;
  readonly vitals: Vitals;
  /** Who reads Server-Sent Events now. */
  liveReaders: number;
  /** Whether this server is the leader. */
  leads: () => boolean;
  readonly disk: WatchedDisk;
}

/** The file system with the data directory. */
export interface WatchedDisk {
  /** At the last look; undefined before it, for data in memory, and where the file system does not tell. */
  space(): DiskSpace | undefined;
  look(): Promise<void>;
}

export interface RequestMeter {
  /** How many were answered with a status of 100 to 199, 200 to 299, … */
  readonly classes: number[];
  /** Until the answer began, in the unit of `FINE`. */
  readonly durations: Histogram;
}

export type WebhookOutcome = "delivered" | "retry" | "given_up";

/** Histograms of what takes less than a millisecond count in this unit: so many in a millisecond. */
export const FINE = 100;

/** How it is with the process. */
export interface Vitals {
  /** Wall-clock time, ms. */
  readonly startedAt: number;
  readonly uptime: () => number;
  /** How late a timer came, again and again, in the unit of `FINE`. */
  readonly loopDelays: Histogram;
  /** Bytes. */
  readonly memory: () => number;
  /** Of all cores together, ms. */
  readonly cpu: () => number;
  /** The answer tells how long ago it was asked for, ms. */
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

/** That of a route; there from its first request on. */
export function requestMeter({ requests }: Meters, path: string): RequestMeter {
  const present = requests.get(path);
  if (present !== undefined) return present;
  const meter: RequestMeter = { classes: [0, 0, 0, 0, 0, 0], durations: emptyHistogram() };
  requests.set(path, meter);
  return meter;
}
