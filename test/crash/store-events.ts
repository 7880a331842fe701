import type { Payload } from "../../src/domain/payload.ts";
import type { Finish, Step } from "../../src/store/steps.ts";
import type { HistoryEvent, Outcome, Report, SeenState, Span } from "../history/history.ts";
import type { Call } from "./history.ts";
import { isObject } from "./is-object.ts";
import { payloadDigest } from "./named-payload.ts";

/** What the history checker learns from one call of the store. The ids of jobs are their tags. */
export function eventsOfCall({ steps, outcome, from, to }: Call): HistoryEvent[] {
  const span = { from, to };
  if (outcome.kind === "fail") return steps.flatMap((step) => refused(step, span));
  if (outcome.kind === "unknown") return steps.flatMap((step) => unanswered(step, span));
  return steps.flatMap((step, index) => answered(step, outcome.answers[index], span));
}

/** Nothing of the call has happened. */
function refused(step: Step, span: Span): HistoryEvent[] {
  return step.step === "enqueue" ? [submission(step, "refused", span)] : [];
}

function unanswered(step: Step, span: Span): HistoryEvent[] {
  if (step.step === "enqueue") return [submission(step, "unknown", span)];
  if (step.step === "cancel" || step.step === "retry")
    return [{ kind: step.step, id: step.id, outcome: "unknown", ...span }];
  if (step.step === "purge") return [{ kind: "purge", endpoint: step.endpoint, outcome: "unknown", ...span }];
  if (step.step === "finish") return report(step, "unknown", span);
  return step.step === "append" ? chunks(step, "unknown", span) : [];
}

function answered(step: Step, answer: unknown, span: Span): HistoryEvent[] {
  if (step.step === "take") return handOuts(step.endpoint, answer, span);
  if (!isObject(answer)) return [];
  const isAccepted = answer["accepted"] === true;
  const outcome = isAccepted ? "acknowledged" : "refused";
  if (step.step === "enqueue") return [submission(step, outcome, span)];
  if (step.step === "append") return chunks(step, isAccepted ? "stored" : "ignored", span);
  if (step.step === "cancel") {
    const state = stateOf(answer);
    return [{ kind: "cancel", id: step.id, outcome: "acknowledged", state, ...span }];
  }
  if (step.step === "retry") {
    const state = stateOf(answer["job"]);
    // Without a job it is not there, or has expired and is still there.
    return state === undefined ? [] : [{ kind: "retry", id: step.id, outcome, state, ...span }];
  }
  if (step.step === "purge") {
    const ids = Array.isArray(answer["ids"]) ? answer["ids"].map(String) : [];
    return [{ kind: "purge", endpoint: step.endpoint, outcome: "acknowledged", ids, ...span }];
  }
  if (step.step === "finish") {
    if (step.worker !== undefined) return report(step, isAccepted ? "accepted" : "ignored", span);
    return isAccepted ? [look(step.id, step.event === "timeOut" ? "TIMED_OUT" : "FAILED", span, null)] : [];
  }
  if (step.step === "giveBack") return isAccepted ? [look(step.id, "IN_QUEUE", span)] : [];
  const state = step.step === "drain" ? stateOf(answer["job"]) : undefined;
  return step.step === "drain" && state !== undefined ? [look(step.id, state, span)] : [];
}

function look(id: string, state: SeenState, span: Span, result?: null): HistoryEvent {
  return { kind: "look", id, state, result, ...span };
}

function submission(
  { endpoint, id }: Extract<Step, { step: "enqueue" }>,
  outcome: Outcome,
  span: Span,
): HistoryEvent {
  const known = outcome === "acknowledged" ? { id } : {};
  return { kind: "submission", endpoint, tag: id, outcome, ...known, ...span };
}

function handOuts(endpoint: string, answer: unknown, span: Span): HistoryEvent[] {
  if (!Array.isArray(answer)) return [];
  const { from, to } = span;
  return answer.filter(isObject).map((job: Record<string, unknown>) => {
    const id = String(job["id"]);
    return { kind: "handOut", endpoint, id, tag: id, attempt: Number(job["attempt"]), from, to };
  });
}

/** Of a worker. What the server ends by itself is seen in the state. */
function report(step: Finish, outcome: Report["outcome"], span: Span): HistoryEvent[] {
  const { event, id, worker, attempt, output, error } = step;
  if (worker === undefined || attempt === undefined) return [];
  const state = event === "complete" ? "COMPLETED" : "FAILED";
  const result = resultOf(output ?? error) ?? `nothing of attempt ${attempt}`;
  return [{ kind: "report", id, state, result, attempt, outcome, ...span }];
}

function chunks(
  { id, attempt, chunks: sent }: Extract<Step, { step: "append" }>,
  outcome: "stored" | "ignored" | "unknown",
  span: Span,
): HistoryEvent[] {
  if (attempt === undefined) return [];
  const { from, to } = span;
  return sent.map((chunk) => ({ kind: "chunk", id, attempt, mark: payloadDigest(chunk), outcome, from, to }));
}

function resultOf(payload: Payload | undefined): string | undefined {
  return payload && payloadDigest(payload);
}

const STATES: Readonly<Record<string, SeenState>> = {
  IN_QUEUE: "IN_QUEUE",
  IN_PROGRESS: "IN_PROGRESS",
  COMPLETED: "COMPLETED",
  FAILED: "FAILED",
  CANCELLED: "CANCELLED",
  TIMED_OUT: "TIMED_OUT",
};

function stateOf(job: unknown): SeenState | undefined {
  return isObject(job) ? STATES[String(job["state"])] : undefined;
}
