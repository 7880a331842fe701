import {
  type HistoryEvent,
  isEnd,
  type JobState,
  type Look,
  type SeenState,
  type Span,
} from "../history/history.ts";
import { digestOf } from "./digest-of.ts";
import { wallTime } from "./wall-time.ts";

/** Writes down what clients, workers and receivers learn. */
export interface Recorder {
  readonly events: HistoryEvent[];
  /** Answers that no call may get. */
  readonly faults: string[];
  /** A moment after all that were given before, ms. */
  now(): number;
  /** The moment that another process of this machine gave as its `wallTime`. */
  at(wallTime: number): number;
  /** A record as the server answers it. */
  sawRecord(record: JobAnswer, span: Span, isFinal?: boolean): void;
  saw(id: string, state: SeenState, span: Span, isFinal?: boolean): void;
  /** A webhook with this body. */
  sawWebhook(webhookId: string, body: JobAnswer): void;
  /** Whether the server says that it does not know what has become of the call: as if it had not answered. */
  isUnknown(status: number, json: { readonly code?: unknown } | undefined): boolean;
}

export interface JobAnswer {
  readonly id: string;
  readonly status: JobState;
  readonly output?: unknown;
  readonly error?: string;
}

/** Errors of the server. */
const OWN_ERRORS = /^(the worker was lost|handed out) /;

/** Where `storeGoesAway` a call may be told so. */
export function recorder(storeGoesAway = false): Recorder {
  const events: HistoryEvent[] = [];
  const start = wallTime();
  let moment = 0;
  const now = (): number => (moment = Math.max(moment + 0.001, wallTime() - start));
  const look = (more: Omit<Look, "kind" | "from" | "to">, { from, to }: Span): void => {
    events.push({ kind: "look", ...more, from, to });
  };
  return {
    events,
    faults: [],
    now,
    at: (time) => time - start,

    sawRecord(record, span, isFinal = false) {
      const { id, status: state } = record;
      const told = isEnd(state) ? { result: resultOf(record), record: digestOf(record) } : {};
      look({ id, state, isFinal, ...told }, span);
    },

    saw: (id, state, span, isFinal = false) => look({ id, state, isFinal }, span),

    sawWebhook(webhookId, body) {
      const { id, status: state } = body;
      const to = now();
      events.push({ kind: "webhook", webhookId, id, state, record: digestOf(body), from: 0, to });
    },

    // A server that starts or stops does nothing for a new call.
    isUnknown: (status, json) =>
      status === 503 &&
      (json?.code === "STARTING" ||
        json?.code === "SHUTTING_DOWN" ||
        (storeGoesAway && json?.code === "STORAGE_UNAVAILABLE")),
  };
}

function resultOf({ status, output, error = "" }: JobAnswer): string | null {
  if (status === "COMPLETED") return digestOf(output);
  return status === "FAILED" && !OWN_ERRORS.test(error) ? digestOf(error) : null;
}
