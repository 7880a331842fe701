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
  const key = workerKey(worker);
  let brought: readonly TakenJob[] = [];
  let isOpen = true;
  engine.openCalls.set(key, (engine.openCalls.get(key) ?? 0) + 1);

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    const left = (engine.openCalls.get(key) ?? 1) - 1;
    if (left > 0) engine.openCalls.set(key, left);
    else engine.openCalls.delete(key);
  }

  async function abort(): Promise<void> {
    close();
    // The server closes the calls itself when it stops. A worker that dies closes all of its calls.
    if (engine.isStopping || engine.openCalls.has(key)) await returnJobs();
    else await Promise.all([returnJobs(), hungUp(engine, worker)]);
  }

  async function returnJobs(): Promise<void> {
    if (brought.length === 0) return;
    const held = await engine.store.held(worker.endpoint, worker.id);
    for (const { id, attempt } of brought) {
      const job = held.find((candidate) => candidate.id === id && candidate.attempt === attempt);
      if (job !== undefined) await giveBack(engine, job, "aborted");
    }
  }

  const onAbort = (): void => {
    abort().catch((error: unknown) => {
      const { endpoint, id } = worker;
      engine.log.warn("that a worker hung up was not written", {
        endpoint,
        worker: id,
        error: String(error),
      });
    });
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });

  return {
    brings(jobs) {
      brought = jobs;
    },
    [Symbol.dispose]: close,
  };
}
