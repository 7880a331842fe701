import type { JobTrace } from "./trace.ts";

/** A job as it was handed out: the members of its submission, and its id. */
export interface Job<Input = Record<string, unknown>> {
  readonly id: string;
  readonly input: Input;
  /** The address that the server, not the worker, calls when the job ends. */
  readonly webhook?: string;
  /** `executionTimeout` and `ttl` in milliseconds, if the submitter set them. */
  readonly policy?: {
    readonly executionTimeout?: number;
    readonly ttl?: number;
    readonly lowPriority?: boolean;
    readonly tags?: readonly string[];
  };
  /** Storage of the submitter: `accessId`, `accessSecret`, `bucketName`, `endpointUrl`. */
  readonly s3Config?: Readonly<Record<string, unknown>>;
  /** The trace of the submission, if the call had one. `trace` of the context continues it. */
  readonly traceContext?: { readonly traceparent: string; readonly tracestate?: string };
  /** Further members of the submission. */
  readonly [member: string]: unknown;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** Logs one line at a time, with the job's id as `requestId`. */
export type JobLog = {
  readonly [Level in LogLevel]: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
};

/** What a handler can do besides returning. */
export interface JobContext {
  /**
   * Aborts when the job must stop: it was cancelled or timed out, the server gave it to another worker, or
   * the worker is stopping. `reason` says which, if known; its name is AbortError. What the handler returns
   * after that is dropped.
   */
  readonly signal: AbortSignal;
  /**
   * Reports the progress of the job, with any JSON value. Only the newest value is kept. Throws a TypeError
   * for a value that JSON cannot represent.
   */
  readonly progress: (value: unknown) => void;
  readonly log: JobLog;
  /** This job's own span in the trace of its submission; undefined without a trace. */
  readonly trace: JobTrace | undefined;
}

/**
 * Runs a job. What it returns or resolves to is the output. The job fails if that is an object with a truthy
 * member `error`, or if the handler throws. The yields of a generator, sync or async, are the chunks of the
 * job's stream; one with a truthy `error` fails the job. If what it returns has a truthy member
 * `refresh_worker`, the worker ends after the job and is replaced.
 */
export type Handler<Input = Record<string, unknown>, Output = unknown> = (
  job: Job<Input>,
  context: JobContext,
) => Returned<Output> | PromiseLike<Returned<Output>>;

type Returned<Output> = Value<Output> | Iterator<Value<Output>> | AsyncIterable<Value<Output>>;

type Value<Output> =
  | Output
  | (Output & { readonly refresh_worker?: unknown })
  | { readonly error: unknown; readonly refresh_worker?: unknown };
