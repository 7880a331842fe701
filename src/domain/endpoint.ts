import type { JobTimes } from "./job-times.ts";
import { type Placement, PLACEMENT_DEFAULTS } from "./placement.ts";
import type { RaisedLimits } from "./rate-limits.ts";

/** What an endpoint says of the times of its jobs; undefined: as the server says. */
export type ChosenTimes = { readonly [Name in keyof JobTimes]: number | undefined };

/** Headers whose values hold secrets. */
export interface SealedHeaders {
  readonly names: readonly string[];
  /** JSON of names and values, sealed, as base64. */
  readonly sealed: string;
}

export const SCALER_TYPES = ["QUEUE_DELAY", "REQUEST_COUNT"] as const;

/** A queue and the workers behind it. */
export interface Endpoint extends ChosenTimes, Placement {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  /** What Forebay starts for it; undefined where all workers come by themselves. */
  readonly templateId: string | undefined;
  /** Variables of its workers, which go before those of the template, as sealed JSON, as base64. */
  readonly sealedEnv: string | undefined;
  /** How many GPUs a container gets; undefined: one where `gpuTypeIds` names any, or else none. */
  readonly gpuCount: number | undefined;
  /** Names of kinds of GPUs: that there are any asks for one. Which one comes is for the engine to say. */
  readonly gpuTypeIds: readonly string[];
  /** How many cores a container gets at most; undefined: as many as the server says. */
  readonly vcpuCount: number | undefined;
  /** How many workers Forebay keeps running; workers that come by themselves do not count. */
  readonly workersMin: number;
  /** How many workers Forebay starts at most. */
  readonly workersMax: number;
  /** Seconds after which a worker without a job is stopped, down to `workersMin`. */
  readonly idleTimeout: number;
  /** What makes Forebay start another worker. */
  readonly scalerType: (typeof SCALER_TYPES)[number];
  /** QUEUE_DELAY: seconds that a job may wait; REQUEST_COUNT: jobs for each worker. */
  readonly scalerValue: number;
  /** Jobs are taken in and wait: none is handed out, and no worker is kept running. */
  readonly isPaused: boolean;
  /** How many workers beyond `workersMax` a release may take while it replaces others. */
  readonly releaseSurge: number;
  /** How many workers a release starts at a time; undefined: as many as there is room for. */
  readonly releasePace: number | undefined;
  /** Where it may be called more often than others; undefined: nowhere. */
  readonly rateLimits: RaisedLimits | undefined;
  /** How many jobs may wait; undefined: any number. */
  readonly maxQueuedJobs: number | undefined;
  /** How many bytes the jobs that wait may have together; undefined: any number. */
  readonly maxQueuedBytes: number | undefined;
  /** How often its webhooks are tried again; undefined: as the spec says. */
  readonly webhookRetries: number | undefined;
  /** What goes with its webhooks; undefined: nothing. */
  readonly webhookHeaders: SealedHeaders | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /**
   * The same. Since then it is there for its workers alone, whose jobs are to end; undefined: it is not being
   * deleted.
   */
  readonly deletedAt: number | undefined;
}

export const ENDPOINT_DEFAULTS = {
  ...PLACEMENT_DEFAULTS,
  sealedEnv: undefined,
  gpuCount: undefined,
  gpuTypeIds: [],
  vcpuCount: undefined,
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
  isPaused: false,
  releaseSurge: 1,
  releasePace: undefined,
  executionTimeoutMs: undefined,
  ttlMs: undefined,
  runRetentionMs: undefined,
  runsyncRetentionMs: undefined,
  rateLimits: undefined,
  maxQueuedJobs: undefined,
  maxQueuedBytes: undefined,
  webhookRetries: undefined,
  webhookHeaders: undefined,
  deletedAt: undefined,
} as const;
