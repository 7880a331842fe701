import { createHash } from "node:crypto";
import { type HistoryEvent, isEnd, type SeenState, type Span } from "../history/history.ts";
import type { Agenda } from "./agenda.ts";
import type { ReceivedWebhook } from "./receivers.ts";

/** What the record of a job says, as clients and receivers get it. */
interface RecordOfJob {
  readonly id: string;
  readonly status: SeenState;
  readonly output?: unknown;
  readonly error?: unknown;
}

/** What clients, workers and receivers saw, for the checker. */
export class History {
  readonly events: HistoryEvent[] = [];

  readonly #agenda: Agenda;

  constructor(agenda: Agenda) {
    this.#agenda = agenda;
  }

  add(event: HistoryEvent): void {
    this.events.push(event);
    this.#agenda.note(JSON.stringify(event));
  }

  /** More is known of an event by now. */
  replace(event: HistoryEvent, by: HistoryEvent): void {
    this.events[this.events.indexOf(event)] = by;
    this.#agenda.note(JSON.stringify(by));
  }

  /** An answer that has the record of a job. */
  look(span: Span, text: string, isFinal = false): void {
    const record = recordIn(text);
    if (record === undefined) return;
    const { id, status, error } = record;
    // So a call that waits is answered when its job goes (docs/api.md).
    const isPurged = status === "CANCELLED" && error === "removed by purge-queue";
    if (isPurged) {
      this.gone(span, id, isFinal);
      return;
    }
    const told = isEnd(status) ? { result: resultOf(record), record: digestOf(text) } : {};
    this.add({ kind: "look", id, state: status, ...span, ...told, ...(isFinal ? { isFinal } : {}) });
  }

  /** The answer to runsync. If the job is gone, its Idempotency-Key knows only the last state. */
  ran(span: Span, text: string): void {
    const record = recordIn(text);
    if (record !== undefined && isEnd(record.status) && Object.keys(record).length === 2) {
      this.gone(span, record.id);
    } else this.look(span, text);
  }

  gone(span: Span, id: string, isFinal = false): void {
    this.add({ kind: "look", id, state: "gone", ...span, ...(isFinal ? { isFinal } : {}) });
  }

  received({ id: webhookId, body, at }: ReceivedWebhook): void {
    const record = recordIn(body);
    if (record === undefined) throw new Error(`a webhook has no record: ${body}`);
    const { id, status } = record;
    if (status === "gone") throw new Error("a webhook tells of no end");
    this.add({ kind: "webhook", webhookId, id, state: status, record: digestOf(body), from: 0, to: at });
  }
}

/** Undefined where the text is not the record of a job, as that of an error. */
function recordIn(text: string): RecordOfJob | undefined {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null || !("id" in parsed) || !("status" in parsed))
    return undefined;
  // The server's own answer, which the checker compares with everything else that is known.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return parsed as RecordOfJob;
}

/** What a worker has reported, by its mark; null: the server itself ended the job. */
function resultOf({ output, error }: RecordOfJob): string | null {
  const text = typeof output === "string" ? output : typeof error === "string" ? error : "";
  return /^t\d+#\w+/.exec(text)?.[0] ?? null;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text.trim()).digest("base64url").slice(0, 16);
}
