import { checkHistory, type Verdict } from "../history/check-history.ts";
import type { HistoryEvent, Report, SeenState, Span, Submission } from "../history/history.ts";
import type { Draft } from "./draft.ts";
import type { Answered } from "./fuzz-client.ts";

/** Calls about jobs; the dialect's base comes before it. */
const CALL =
  /^\/v2\/([^/]+)\/(run|runsync|status|status-sync|stream|cancel|retry|purge-queue)(?:\/([^/]+))?$/;

interface Call extends Span {
  readonly endpoint: string;
  readonly name: string;
  readonly id: string;
}

/**
 * What clients saw of the jobs that they submitted, for the history checker. What workers did is not written
 * down: their results are random, and often two of them are the same. So a job may complete at any time.
 */
export class FuzzHistory {
  /** By the id of the job. */
  readonly #submissions = new Map<string, Submission>();
  readonly #events: HistoryEvent[] = [];

  note(
    { path, headers }: Pick<Draft, "path" | "headers">,
    { verdict, json }: Pick<Answered, "verdict" | "json">,
    span: Span,
  ): void {
    const [, endpoint = "", name = "", id = ""] = CALL.exec(path) ?? [];
    const call = { endpoint, name, id, ...span };
    if (name === "run" || name === "runsync") {
      if (verdict !== "ok") return;
      this.#submitted(endpoint, json.id, span);
      // With a key, it can be the last state of a job that is gone.
      const hasKey = headers.some(([header]) => header === "idempotency-key");
      if (name === "runsync" && !hasKey) this.#look(json.id, stateIn(json), span);
    } else if (verdict === "ok") this.#answered(call, json);
    else if (verdict === "NOT_RETRYABLE")
      this.#events.push({ kind: "retry", id, outcome: "refused", ...span });
    // A job is not found at an endpoint of another one either.
    else if (verdict === "JOB_NOT_FOUND" && this.#submissions.get(id)?.endpoint === endpoint)
      this.#look(id, "gone", span);
  }

  /** The record of a job when nothing waits or runs any more. */
  final(id: string, state: SeenState, span: Span): void {
    this.#events.push({ kind: "look", id, state, isFinal: true, ...span });
  }

  /** The verdict on the jobs of these endpoints. */
  verdict(endpoints: readonly string[]): Verdict {
    const submissions = [...this.#submissions.values()].filter(({ endpoint }) =>
      endpoints.includes(endpoint),
    );
    const ids = new Set(submissions.map(({ tag }) => tag));
    const own = this.#events.filter((event) =>
      "id" in event && event.id !== undefined ? ids.has(event.id) : true,
    );
    const completions = submissions.map(({ tag, from, to }): Report => ({
      kind: "report",
      id: tag,
      state: "COMPLETED",
      result: `of ${tag}`,
      outcome: "unknown",
      from,
      to,
    }));
    return checkHistory([...submissions, ...own, ...completions]);
  }

  /** With one Idempotency-Key, several calls are answered with one job: the first of them made it. */
  #submitted(endpoint: string, id: string, { from, to }: Span): void {
    const known = this.#submissions.get(id);
    const span = { from: Math.min(from, known?.from ?? from), to: Math.min(to, known?.to ?? to) };
    const outcome = "acknowledged";
    this.#submissions.set(id, {
      kind: "submission",
      endpoint,
      tag: id,
      id,
      outcome,
      mayTimeOut: true,
      ...span,
    });
  }

  #answered({ endpoint, name, id, from, to }: Call, json: Answered["json"]): void {
    const span = { from, to };
    if (name === "cancel" || name === "retry") {
      this.#events.push({ kind: name, id, outcome: "acknowledged", state: json.status, ...span });
    } else if (name === "purge-queue") {
      this.#events.push({
        kind: "purge",
        endpoint,
        outcome: "acknowledged",
        removed: json.removed,
        ...span,
      });
    } else if (name === "status" || name === "status-sync") this.#look(id, stateIn(json), span);
  }

  #look(id: string, state: SeenState, span: Span): void {
    this.#events.push({ kind: "look", id, state, ...span });
  }
}

function stateIn({ status, error }: Answered["json"]): SeenState {
  return status === "CANCELLED" && error === "removed by purge-queue" ? "gone" : status;
}
