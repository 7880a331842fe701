import type { Job } from "./handler.ts";

/** One attempt at a job, from its hand-out until its handler has settled. */
export class RunningJob {
  readonly job: Job;
  /** The attempt number; undefined in the public protocol, which has none. */
  readonly attempt: number | undefined;
  /** Whether its handler yields. */
  isStream = false;
  isSettled = false;
  /** Whether the worker is replaced after it. */
  endsWorker = false;
  #controller: AbortController | undefined = undefined;
  #stopped: DOMException | undefined = undefined;

  constructor(job: Job, attempt: number | undefined) {
    this.job = job;
    this.attempt = attempt;
  }

  get id(): string {
    return this.job.id;
  }

  /** The result of the handler is not needed any more. */
  get isStopped(): boolean {
    return this.#stopped !== undefined;
  }

  /** Created on first use: most handlers need none, and it costs more than the rest of a job. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped);
    }
    return this.#controller.signal;
  }

  stop(sentence: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = new DOMException(sentence, "AbortError");
    this.#controller?.abort(this.#stopped);
  }
}
