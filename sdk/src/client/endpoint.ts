import {
  type Chunk,
  type EndedJob,
  type EndedStatus,
  hasEnded,
  type Health,
  type Job,
  jobOf,
  type JobTicket,
  type PurgeResult,
  type RequestsPage,
} from "./job.ts";
import { readObject } from "./answer.ts";
import type { CallOptions, RequestsOptions, StreamOptions, SubmitOptions, WaitOptions } from "./options.ts";
import { Pace } from "../backoff.ts";
import { readStream } from "./read-stream.ts";
import type { ServerCall, ServerCalls } from "./server-calls.ts";

/** The routes whose answers have the state with the chunks of a stream, and the progress of a job. */
const QUEUE = "/sdk/v2";

/** How long the server holds a waiting call, ms: less than the 30 s after which many proxies cut it. */
const HOLD = 20_000;

/**
 * The first hold of `runSync`, ms: the shortest that the server allows. After it, the id of the job is known.
 */
const FIRST_HOLD = 1_000;

/**
 * One endpoint of a server. Every call throws ForebayError with the server's code and message, or the reason
 * of its `signal`. While the server is away, calls that are safe to repeat are retried. `retry` and `purge`
 * are retried only if the server said that it did nothing.
 */
export class Endpoint<Input extends object = Record<string, unknown>, Output = unknown, Piece = Output> {
  /** The id or name that was given for it. */
  readonly id: string;
  readonly #calls: ServerCalls;
  readonly #path: string;

  constructor(calls: ServerCalls, id: string) {
    this.id = id;
    this.#path = `${QUEUE}/${segmentOf(id)}`;
    this.#calls = calls;
  }

  /** Submits a job and returns when it is stored. Its result is kept for 30 minutes after its end. */
  run(input: Input, options: SubmitOptions = {}): Promise<JobTicket> {
    return this.#submit("run", input, options);
  }

  /** Submits a job and waits until it has ended. Its result is kept for a minute after its end. */
  async runSync(input: Input, options: SubmitOptions & WaitOptions = {}): Promise<EndedJob<Output>> {
    const first = { ...options, hold: FIRST_HOLD };
    const job = jobOf<Output>(await this.#submit(`runsync?wait=${FIRST_HOLD}`, input, first));
    if (hasEnded(job)) return job;
    options.onUnfinished?.(job);
    return this.waitFor(job.id, options);
  }

  /** Waits until the job has ended, without a time limit. */
  async waitFor(id: string, options: WaitOptions = {}): Promise<EndedJob<Output>> {
    const { hold = HOLD, onUnfinished, signal } = options;
    const path = `status-sync/${idOf("a job", id)}?wait=${hold}`;
    const pace = new Pace(signal);
    for (;;) {
      pace.asked();
      const job = jobOf<Output>(await this.#get(path, { ...options, hold }));
      if (hasEnded(job)) return job;
      onUnfinished?.(job);
      await pace.broughtNothing();
    }
  }

  /** The record of the job now. */
  async status(id: string, options: CallOptions = {}): Promise<Job<Output>> {
    return jobOf<Output>(await this.#get(`status/${idOf("a job", id)}`, options));
  }

  /**
   * The chunks of the job as they arrive, until it has ended. Returns its final state. Reading consumes
   * nothing: every reader gets all chunks.
   */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<Chunk<Piece>, EndedStatus, void> {
    return readStream<Piece>(this.#calls, `${this.#path}/stream/${idOf("a job", id)}`, HOLD, options);
  }

  /** Cancels the job unless it has ended, and returns its state. */
  async cancel(id: string, options: CallOptions = {}): Promise<JobTicket> {
    return this.#post(`cancel/${idOf("a job", id)}`, { ...options, isRepeatable: true });
  }

  /** Retries a job that failed or timed out, with the same id and input. */
  async retry(id: string, options: CallOptions = {}): Promise<JobTicket> {
    return this.#post(`retry/${idOf("a job", id)}`, options);
  }

  /** Removes all waiting jobs. Running jobs continue. */
  purge(options: CallOptions = {}): Promise<PurgeResult> {
    return this.#post("purge-queue", options);
  }

  /** The number of jobs and workers, by state. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.#get("health", options);
  }

  /** A page of the jobs that wait, that run, or that have ended and are still stored. */
  requests({ status, limit, cursor, ...options }: RequestsOptions = {}): Promise<RequestsPage> {
    const query = Object.entries({ status, limit, cursor }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return this.#get(`requests?${query.join("&")}`, options);
  }

  /** A second call with the same key returns the job of the first one. */
  #submit<Result extends object>(
    path: string,
    input: Input,
    options: SubmitOptions & WaitOptions,
  ): Promise<Result> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const body = bodyOf(input, options);
    return this.#post(path, { ...options, body, idempotencyKey, isRepeatable: true });
  }

  #get<Result extends object>(path: string, call: Partial<ServerCall>): Promise<Result> {
    return this.#call({ ...call, method: "GET", path, isRepeatable: true });
  }

  #post<Result extends object>(path: string, call: Partial<ServerCall>): Promise<Result> {
    return this.#call({ isRepeatable: false, ...call, method: "POST", path });
  }

  async #call<Result extends object>(call: ServerCall): Promise<Result> {
    const path = `${this.#path}/${call.path}`;
    const { body } = await this.#calls.call({ ...call, path }, readObject);
    // The server's answers have the members that docs/api.md promises.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return body as Result;
  }
}

function bodyOf(input: object, { webhook, policy, s3Config }: SubmitOptions): string {
  return JSON.stringify({ input, webhook, policy, s3Config });
}

/** The id or name of an endpoint, encoded for a path. */
function segmentOf(text: string): string {
  if (text !== "" && text !== "." && text !== "..") return encodeURIComponent(text);
  throw new TypeError(`there is no endpoint ${JSON.stringify(text)}.`);
}

/** An id that can be in a path. No job has any other id. */
function idOf(what: string, id: string): string {
  if (/^[\w-]+$/.test(id)) return id;
  throw new TypeError(`the id of ${what} has only letters, digits, "_" and "-", got ${JSON.stringify(id)}.`);
}
