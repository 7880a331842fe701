import type {
  Change,
  Chunk,
  HandOut,
  Look,
  Purge,
  Read,
  Report,
  SeenState,
  Submission,
  WebhookCall,
} from "./history.ts";

/** Events of job `a` of endpoint `e`, each from one moment to the next. */
type More<Event> = Partial<Omit<Event, "kind">>;

export function submission(from: number, more: More<Submission> = {}): Submission {
  const known = more.outcome === "unknown" || more.outcome === "refused" ? {} : { id: "a" };
  return {
    kind: "submission",
    endpoint: "e",
    tag: "t",
    outcome: "acknowledged",
    from,
    to: from + 1,
    ...known,
    ...more,
  };
}

export function look(from: number, state: SeenState, more: More<Look> = {}): Look {
  return { kind: "look", id: "a", state, from, to: from + 1, ...more };
}

/** A worker's end, with its result and a record of that. */
export function end(from: number, state: SeenState, result: string, more: More<Look> = {}): Look {
  return look(from, state, { result, record: `record of ${result}`, ...more });
}

export function cancel(from: number, state: SeenState | undefined, more: More<Change> = {}): Change {
  return { kind: "cancel", id: "a", outcome: "acknowledged", state, from, to: from + 1, ...more };
}

export function retry(from: number, more: More<Change> = {}): Change {
  return { kind: "retry", id: "a", outcome: "acknowledged", from, to: from + 1, ...more };
}

export function purge(from: number, more: More<Purge> = {}): Purge {
  return { kind: "purge", endpoint: "e", outcome: "acknowledged", from, to: from + 1, ...more };
}

export function handOut(from: number, attempt: number, more: More<HandOut> = {}): HandOut {
  return { kind: "handOut", endpoint: "e", id: "a", tag: "t", attempt, from, to: from + 1, ...more };
}

/** Handed out to a worker that is not told the attempt. */
export function handOutTo(from: number, worker: string, more: More<HandOut> = {}): HandOut {
  return { kind: "handOut", endpoint: "e", id: "a", tag: "t", worker, from, to: from + 1, ...more };
}

export function report(
  from: number,
  state: Report["state"],
  result: string,
  more: More<Report> = {},
): Report {
  return { kind: "report", id: "a", state, result, outcome: "accepted", from, to: from + 1, ...more };
}

export function chunk(from: number, attempt: number, mark: string, more: More<Chunk> = {}): Chunk {
  return { kind: "chunk", id: "a", attempt, mark, outcome: "stored", from, to: from + 1, ...more };
}

export function read(from: number, which: Read["which"], ...marks: string[]): Read {
  return { kind: "read", id: "a", which, marks, from, to: from + 1 };
}

export function webhook(at: number, record: string, more: More<WebhookCall> = {}): WebhookCall {
  return { kind: "webhook", webhookId: "w", id: "a", state: "COMPLETED", record, from: 0, to: at, ...more };
}

export const FINAL = { isFinal: true } as const;
