import type { HistoryInputs } from "./history.ts";
import type { JobTimes } from "./job-times.ts";
import { type Placement, PLACEMENT_DEFAULTS } from "./placement.ts";
import type { RaisedLimits } from "./rate-limits.ts";

/** The settings of an endpoint for the times of its jobs; undefined: the server's default. */
export type ChosenTimes = { readonly [Name in keyof JobTimes]: number | undefined };

/** Headers whose values hold secrets. */
export interface SealedHeaders {
  readonly names: readonly string[];
  /** Encrypted JSON of names and values, as base64. */
  readonly sealed: string;
}

export const SCALER_TYPES = ["QUEUE_DELAY", "REQUEST_COUNT"] as const;

/** A queue and the workers behind it. */
export interface Endpoint extends ChosenTimes, Placement {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  /** The template of the workers that Forebay starts; undefined if it starts none. */
  readonly templateId: string | undefined;
  /** Variables of its workers, as encrypted JSON in base64. They override those of the template. */
  readonly sealedEnv: string | undefined;
  /** How many GPUs a worker gets; undefined: one if `gpuTypeIds` names any, otherwise none. */
  readonly gpuCount: number | undefined;
  /** The types of GPUs that a worker accepts, the preferred one first; empty: any. A name requests a GPU. */
  readonly gpuTypeIds: readonly string[];
  /** The most cores of a container; undefined: the server's setting. */
  readonly vcpuCount: number | undefined;
  /**
   * The shared memory of a container, MB; undefined: half of its memory if it has GPUs, otherwise as much as
   * the engine gives.
   */
  readonly shmSizeInMb: number | undefined;
  /** Its workers run only on hosts with this label; undefined: on any. */
  readonly hostLabel: string | undefined;
  /** How many workers Forebay keeps running, besides workers that it did not start. */
  readonly workersMin: number;
  /** The most workers that Forebay starts. */
  readonly workersMax: number;
  /** Seconds after which a worker without a job is stopped, down to `workersMin`. */
  readonly idleTimeout: number;
  /** The rule by which Forebay starts another worker. */
  readonly scalerType: (typeof SCALER_TYPES)[number];
  /** QUEUE_DELAY: how long a job may wait, in seconds. REQUEST_COUNT: jobs for each worker. */
  readonly scalerValue: number;
  /** Whether jobs are accepted but not handed out, and no worker is kept running. */
  readonly isPaused: boolean;
  /** How many workers beyond `workersMax` a release may start while it replaces others. */
  readonly releaseSurge: number;
  /** How many workers a release starts at a time; undefined: as many as there is room for. */
  readonly releasePace: number | undefined;
  /** Higher rate limits of operations; undefined: none. */
  readonly rateLimits: RaisedLimits | undefined;
  /** The most waiting jobs; undefined: no limit. */
  readonly maxQueuedJobs: number | undefined;
  /** The most bytes of waiting jobs; undefined: no limit. */
  readonly maxQueuedBytes: number | undefined;
  /** How often its webhooks are retried; undefined: as the spec says. */
  readonly webhookRetries: number | undefined;
  /** Headers of its webhooks; undefined: none. */
  readonly webhookHeaders: SealedHeaders | undefined;
  /** Which inputs stay in the history. */
  readonly historyInputs: HistoryInputs;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /**
   * Milliseconds since 1970. Since then, only its workers see the endpoint, and its jobs are ending.
   * Undefined: it is not being deleted.
   */
  readonly deletedAt: number | undefined;
}

/** The highest `workersMax`. */
export const MOST_WORKERS = 10_000;

export const ENDPOINT_DEFAULTS = {
  ...PLACEMENT_DEFAULTS,
  sealedEnv: undefined,
  gpuCount: undefined,
  gpuTypeIds: [],
  vcpuCount: undefined,
  shmSizeInMb: undefined,
  hostLabel: undefined,
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
  historyInputs: "failed",
  deletedAt: undefined,
} as const;
