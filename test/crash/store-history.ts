import { checkHistory, type Verdict } from "../history/check-history.ts";
import type { HistoryEvent, Look, Span } from "../history/history.ts";
import type { Call } from "./history.ts";
import type { Found, FoundJob } from "./inspect.ts";
import { payloadDigest } from "./named-payload.ts";
import { eventsOfCall } from "./store-events.ts";

/**
 * All that callers saw of the store, for the history checker. Its clock is the order in which the calls
 * began and were answered.
 */
export class StoreHistory {
  readonly #events: HistoryEvent[] = [];
  /** The jobs of acknowledged submissions, and those that somebody has seen. */
  readonly #known = new Set<string>();
  /** Jobs that a call can have ended, and those for which that was a deadline. */
  readonly #ended = new Set<string>();
  readonly #timedOut = new Set<string>();
  /** Errors that the server wrote, and no worker. */
  readonly #ownErrors = new Set<string>();
  #now = 0;

  /** Takes the calls of one process, which began where the one before it was killed. */
  learn(calls: readonly Call[]): void {
    const start = this.#now;
    for (const call of calls) {
      const { from, to } = call;
      if (call.outcome.kind !== "fail") for (const step of call.steps) this.#noteEnd(step);
      for (const event of eventsOfCall({ ...call, from: start + from, to: start + to })) this.#add(event);
      this.#now = Math.max(this.#now, start + to);
    }
  }

  /** The jobs that must be there, or be gone for a reason, or have been found. */
  ids(): string[] {
    return [...this.#known];
  }

  /** What was found when no process ran. In the end each job needs a look: nothing waits or runs any more. */
  look({ jobs, submissions }: Found, ids: readonly string[], isFinal: boolean): void {
    const span = { from: this.#now + 1, to: this.#now + 2 };
    this.#now += 2;
    for (const id of new Set([...ids, ...submissions.keys()])) {
      const job = jobs.get(id);
      const isThere = submissions.has(id);
      if (job !== undefined) this.#lookAt(id, job, span, isFinal);
      // Nobody asked for the record of a job that nobody submitted.
      else if (isThere) this.#add({ kind: "look", id, state: "IN_QUEUE", isFinal, ...span });
      else if (this.#known.has(id)) this.#add({ kind: "look", id, state: "gone", isFinal, ...span });
    }
  }

  verdict(): Verdict {
    return checkHistory(
      this.#events.map((event) => {
        if (event.kind !== "submission") return event;
        const { tag, outcome } = event;
        const isFound = outcome === "unknown" && this.#known.has(tag);
        return {
          ...event,
          ...(isFound ? { id: tag } : {}),
          mayTimeOut: this.#timedOut.has(tag),
          mayExpire: this.#ended.has(tag),
        };
      }),
    );
  }

  #noteEnd(step: Call["steps"][number]): void {
    if (step.step === "cancel") this.#ended.add(step.id);
    if (step.step !== "finish") return;
    this.#ended.add(step.id);
    if (step.event === "timeOut") this.#timedOut.add(step.id);
    if (step.worker === undefined && step.error !== undefined) this.#ownErrors.add(payloadDigest(step.error));
  }

  #add(event: HistoryEvent): void {
    this.#events.push(event);
    if (event.kind === "submission" && event.outcome === "acknowledged") this.#known.add(event.tag);
    if (event.kind === "handOut") this.#known.add(event.id);
    if (event.kind === "look" && event.state !== "gone") this.#known.add(event.id);
  }

  #lookAt(id: string, { record, output, error, chunks }: FoundJob, span: Span, isFinal: boolean): void {
    const { state } = record;
    this.#add({ kind: "look", id, state, isFinal, ...this.#resultOf(state, output, error), ...span });
    if (state !== "COMPLETED" || output === undefined) return;
    this.#add({ kind: "read", id, which: "all", marks: chunks, ...span });
  }

  /** A result without bytes names no worker: then it is not told. */
  #resultOf(state: Look["state"], output: string | undefined, error: string | undefined) {
    if (state === "COMPLETED") return { result: output };
    if (state === "FAILED") return { result: error && this.#ownErrors.has(error) ? null : error };
    return state === "TIMED_OUT" || state === "CANCELLED" ? { result: null } : {};
  }
}
