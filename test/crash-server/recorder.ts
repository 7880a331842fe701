import { isTerminal, type JobState } from "../../src/domain/transitions.ts";
import { digestOf, emptyHistory, type History, type SeenState, type Span } from "./history.ts";

/** Writes down what clients and workers of this process learn. */
export interface Recorder {
  readonly history: History;
  /** A moment after all that were given before. */
  now(): number;
  /** A record as the server answers it. */
  sawRecord(record: JobAnswer, span: Span): void;
  saw(id: string, state: SeenState, span: Span): void;
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

/** Errors that are no worker's. */
const OWN_ERRORS = /^(the worker was lost|handed out) /;

/** Where `storeGoesAway` a call may be told so. */
export function recorder(storeGoesAway = false): Recorder {
  const history = emptyHistory();
  let moment = 0;
  return {
    history,
    now: () => ++moment,

    sawRecord(record, { from, to }) {
      const { id, status: state, output, error = "" } = record;
      const ofWorker = state === "COMPLETED" ? output : error;
      const isTold = state === "COMPLETED" || (state === "FAILED" && !OWN_ERRORS.test(error));
      history.sightings.push({
        id,
        from,
        to,
        state,
        result: isTold ? digestOf(ofWorker) : undefined,
        record: isTerminal(state) ? digestOf(record) : undefined,
      });
    },

    saw(id, state, { from, to }) {
      history.sightings.push({ id, from, to, state });
    },

    sawWebhook(webhookId, body) {
      const { id, status: state } = body;
      history.webhooks.push({ webhookId, id, state, record: digestOf(body) });
    },

    // A server that starts or stops does nothing for a new call.
    isUnknown: (status, json) =>
      status === 503 &&
      (json?.code === "STARTING" ||
        json?.code === "SHUTTING_DOWN" ||
        (storeGoesAway && json?.code === "STORAGE_UNAVAILABLE")),
  };
}
