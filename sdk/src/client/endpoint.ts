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

/** The dialect that tells the state together with the chunks of a stream, and the progress of a job. */
const QUEUE = "/sdk/v2";

/** How long one call that waits is held, ms: below the 30 s after which many proxies cut. */
const HOLD = 20_000;

/**
 * How long `runSync` may not know the id of its job, ms; the shortest that the server takes. From then on it
 * can tell whoever stops waiting.
 */
const FIRST_HOLD = 1_000;

/**
 * One endpoint of a server. Every call throws ForebayError with the server's code and sentence, or the reason
 * of its `signal`. A call that can be made twice without harm is made again while the server is away; `retry`
 * and `purge` only when the server has said that it did nothing.
 */
export class Endpoint<Input extends object = Record<string, unknown>, Output = unknown, Piece = Output> {
  /** The id or name that it was asked for by. */
  readonly id: string;
  readonly #calls: ServerCalls;
  readonly #path: string;

  constructor(calls: ServerCalls, id: string) {
    this.id = id;
    this.#path = `${QUEUE}/${segmentOf(id)}`;
    this.#calls = calls;
  }

  /** Submits a job and returns as soon as it is stored. Its result stays for 30 minutes after its end. */
  run(input: Input, options: SubmitOptions = {}): Promise<JobTicket> {
    return this.#submit("run", input, options);
  }

  /** Submits a job and waits until it has ended. Its result stays for a minute after its end. */
  async runSync(input: Input, options: SubmitOptions & WaitOptions = {}): Promise<EndedJob<Output>> {
    const first = { ...options, hold: FIRST_HOLD };
    const job = jobOf<Output>(await this.#submit(`runsync?wait=${FIRST_HOLD}`, input, first));
    if (hasEnded(job)) return job;
    options.onUnfinished?.(job);
    return this.waitFor(job.id, options);
  }

  /** Waits until the job has ended, however long that takes. */
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

  /** The record of the job as it is now. */
  async status(id: string, options: CallOptions = {}): Promise<Job<Output>> {
    return jobOf<Output>(await this.#get(`status/${idOf("a job", id)}`, options));
  }

  /**
   * The chunks of the job as they come, until it has ended; returns the state in which it did. Nothing is
   * consumed: whoever reads the stream again, or beside, gets all of them as well.
   */
  stream(id: string, options: StreamOptions = {}): AsyncGenerator<Chunk<Piece>, EndedStatus, void> {
    return readStream<Piece>(this.#calls, `${this.#path}/stream/${idOf("a job", id)}`, HOLD, options);
  }

  /** Cancels the job unless it has ended, and answers its state. */
  async cancel(id: string, options: CallOptions = {}): Promise<JobTicket> {
    return this.#post(`cancel/${idOf("a job", id)}`, { ...options, isRepeatable: true });
  }

  /** Puts a job that failed or timed out into the queue again: same id, same input. */
  async retry(id: string, options: CallOptions = {}): Promise<JobTicket> {
    return this.#post(`retry/${idOf("a job", id)}`, options);
  }

  /** Removes all jobs that wait. Those that run go on. */
  purge(options: CallOptions = {}): Promise<PurgeResult> {
    return this.#post("purge-queue", options);
  }

  /** How many jobs and workers there are, by state. */
  health(options: CallOptions = {}): Promise<Health> {
    return this.#get("health", options);
  }

  /** A page of the jobs: those that wait, that run, and that have ended and are still known. */
  requests({ status, limit, cursor, ...options }: RequestsOptions = {}): Promise<RequestsPage> {
    const query = Object.entries({ status, limit, cursor }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    return this.#get(`requests?${query.join("&")}`, options);
  }

  /** With its key a second call answers what the first one has made. */
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

/** The id or name of an endpoint as a path has it. */
function segmentOf(text: string): string {
  if (text !== "" && text !== "." && text !== "..") return encodeURIComponent(text);
  throw new TypeError(`there is no endpoint ${JSON.stringify(text)}.`);
}

/** An id that can stand in a path; any other one is nobody's. */
function idOf(what: string, id: string): string {
  if (/^[\w-]+$/.test(id)) return id;
  throw new TypeError(`the id of ${what} has only letters, digits, "_" and "-", got ${JSON.stringify(id)}.`);
}
