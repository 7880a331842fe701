import type { JobTrace } from "./trace.ts";

/** A job as it was handed out: the members of its submission, and its id. */
export interface Job<Input = Record<string, unknown>> {
  readonly id: string;
  readonly input: Input;
  /** The address that the submitter wants to be called at the end; the server calls it, not the worker. */
  readonly webhook?: string;
  /** `executionTimeout` and `ttl` in milliseconds, as far as the submitter set them. */
  readonly policy?: {
    readonly executionTimeout?: number;
    readonly ttl?: number;
    readonly lowPriority?: boolean;
  };
  /** Storage of the submitter: `accessId`, `accessSecret`, `bucketName`, `endpointUrl`. */
  readonly s3Config?: Readonly<Record<string, unknown>>;
  /** The trace that it was submitted in, where the call said one; `trace` of the context goes on with it. */
  readonly traceContext?: { readonly traceparent: string; readonly tracestate?: string };
  /** Further members of the submission. */
  readonly [member: string]: unknown;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

/** One line of the log at a time, with the job's id as `requestId`. */
export type JobLog = {
  readonly [Level in LogLevel]: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
};

/** What a handler can do beside returning. */
export interface JobContext {
  /**
   * Aborts when the job is to stop: it was cancelled or timed out, the server gave it to another worker, or
   * the worker is being ended. `reason` says which as far as it is known; its name is AbortError. What the
   * handler returns after that is dropped.
   */
  readonly signal: AbortSignal;
  /**
   * Tells how far the job is, with any value that JSON can carry. Only the newest one is kept. Throws a
   * TypeError for what JSON cannot carry.
   */
  readonly progress: (value: unknown) => void;
  readonly log: JobLog;
  /** This job's own span of the trace that its submission belongs to; undefined when it carries none. */
  readonly trace: JobTrace | undefined;
}

/**
 * Runs a job. What it returns or resolves to is the output; an object with a truthy member `error` fails the
 * job, and so does an exception. The yields of a generator, sync or async, are the chunks of the job's
 * stream; one with a truthy `error` fails the job. A truthy member `refresh_worker` of what it returns ends
 * the worker after the job, to be replaced by a fresh one.
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
