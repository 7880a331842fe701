import { writeSync } from "node:fs";
import type { Step } from "../../src/store/steps.ts";

/**
 * What a caller knows of its calls. A call that was invoked and then neither answered nor failed has an
 * unknown outcome: both are legal. Payloads are named, not spelt out.
 */
export type HistoryEvent =
  | { readonly event: "invoke"; readonly call: number; readonly now: number; readonly steps: readonly Step[] }
  | { readonly event: "ok"; readonly call: number; readonly answers: readonly unknown[] }
  /** The store has thrown: nothing of the call has happened. */
  | { readonly event: "fail"; readonly call: number; readonly error: string };

/** One call with what became of it, in the order of invocation. */
export interface Call {
  readonly call: number;
  readonly now: number;
  readonly steps: readonly Step[];
  /** Between these lines of the history; of a call without an answer, up to its end. */
  readonly from: number;
  readonly to: number;
  readonly outcome:
    | { readonly kind: "ok"; readonly answers: readonly unknown[] }
    | { readonly kind: "fail"; readonly error: string }
    | { readonly kind: "unknown" };
}

/** The end of the inherited pipe that takes the history. */
export const HISTORY_PIPE = 3;

/** The end of the inherited pipe that takes a mark at the beginning and at the end of each commit. */
export const MARKS_PIPE = 4;

/** Writes an event; when it returns the event survives the process. */
export function record(event: HistoryEvent): void {
  writeSync(HISTORY_PIPE, `${JSON.stringify(event)}\n`);
}

/** The calls of a history, of which the last line may be cut off. */
export function callsOf(history: string): Call[] {
  const calls = new Map<number, Call>();
  const lines = history.split("\n").slice(0, -1);
  for (const [number, line] of lines.entries()) {
    // The line was written by `record`.
    const event = JSON.parse(line) as HistoryEvent;
    if (event.event === "invoke") {
      const { call, now, steps } = event;
      const span = { from: number, to: lines.length };
      calls.set(call, { call, now, steps, ...span, outcome: { kind: "unknown" } });
      continue;
    }
    const invoked = calls.get(event.call);
    if (invoked === undefined) throw new Error(`call ${event.call} ended before it was invoked`);
    const outcome =
      event.event === "ok"
        ? ({ kind: "ok", answers: event.answers } as const)
        : ({ kind: "fail", error: event.error } as const);
    calls.set(event.call, { ...invoked, to: number, outcome });
  }
  return [...calls.values()];
}
