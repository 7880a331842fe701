import type { WorkerIdentity } from "../domain/worker.ts";
import type { TakenJob } from "../domain/job.ts";
import type { WithLog, WithStop } from "./verb-needs.ts";
import { giveBack } from "./give-back.ts";
import { workerKey } from "./known-workers.ts";
import { type Contacts, hungUp } from "./seen.ts";

/** What watching open calls needs. */
export interface OpenCalls extends Contacts, WithLog, WithStop {
  /** How many calls each worker of the public protocol has open here, for a job or one to stop. */
  readonly openCalls: Map<string, number>;
}

/** A call of a worker that waits here for a job, or for one to stop. */
export interface OpenCall extends Disposable {
  /** The reply has these jobs. If the worker hangs up before it has all of it, they go back. */
  brings(jobs: readonly TakenJob[]): void;
}

/**
 * Watches a call until its reply has left. `signal` aborts only before: a client that goes later aborts
 * nothing. Disposed of when the reply begins.
 */
export function openCall(engine: OpenCalls, worker: WorkerIdentity, signal: AbortSignal): OpenCall {
  const call = new WatchedCall(engine, worker);
  if (signal.aborted) call.handleEvent();
  else signal.addEventListener("abort", call, { once: true });
  return call;
}

const NO_JOBS: readonly TakenJob[] = [];

/** One object: thousands of calls wait. */
class WatchedCall implements OpenCall {
  readonly #engine: OpenCalls;
  readonly #worker: WorkerIdentity;
  #brought = NO_JOBS;
  #isOpen = true;

  constructor(engine: OpenCalls, worker: WorkerIdentity) {
    this.#engine = engine;
    this.#worker = worker;
    const key = workerKey(worker);
    engine.openCalls.set(key, (engine.openCalls.get(key) ?? 0) + 1);
  }

  brings(jobs: readonly TakenJob[]): void {
    this.#brought = jobs;
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { openCalls } = this.#engine;
    const key = workerKey(this.#worker);
    const left = (openCalls.get(key) ?? 1) - 1;
    if (left > 0) openCalls.set(key, left);
    else openCalls.delete(key);
  }

  /** The worker has hung up. */
  handleEvent(): void {
    this.#abort().catch((error: unknown) => {
      const { endpoint, id } = this.#worker;
      this.#engine.log.warn("that a worker hung up was not written", {
        endpoint,
        worker: id,
        error: String(error),
      });
    });
  }

  async #abort(): Promise<void> {
    this[Symbol.dispose]();
    const engine = this.#engine;
    const worker = this.#worker;
    // The server closes the calls itself when it stops. A worker that dies closes all of its calls.
    if (engine.isStopping || engine.openCalls.has(workerKey(worker))) await this.#returnJobs();
    else await Promise.all([this.#returnJobs(), hungUp(engine, worker)]);
  }

  async #returnJobs(): Promise<void> {
    const engine = this.#engine;
    if (this.#brought.length === 0) return;
    const held = await engine.store.held(this.#worker.endpoint, this.#worker.id);
    for (const { id, attempt } of this.#brought) {
      const job = held.find((candidate) => candidate.id === id && candidate.attempt === attempt);
      if (job !== undefined) await giveBack(engine, job, "aborted");
    }
  }
}
