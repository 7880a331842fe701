import type { ColdStart } from "../../domain/attempt.ts";
import type { TraceContext } from "../../domain/trace-context.ts";
import { versionOf } from "../../domain/worker.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Timeline, TimelineAttempt } from "../../engine/timeline.ts";
import { dateText } from "../manage/date-text.ts";
import type { Part } from "../reply.ts";
import { presentDelivery } from "./delivery.ts";
import { payloadPartOr } from "./payload-part.ts";

/**
 * The timeline of a job as JSON; the times and the worker at its top are those of the newest attempt. What is
 * not known is left out, never null.
 */
export async function timelineParts(engine: Engine, timeline: Timeline): Promise<Part[]> {
  const { progress } = timeline.job;
  const attempts = timeline.attempts.map(attemptText).join(",");
  const parts: Part[] = [`${opened(presentTimeline(timeline))},"attempts":[${attempts}]`];
  const shown = progress && (await payloadPartOr(engine, progress, undefined));
  if (shown !== undefined) parts.push(',"progress":', shown);
  return [...parts, "}"];
}

/** What the worker reported beside its error passes as it came. */
function attemptText(attempt: TimelineAttempt): string {
  const { output } = attempt;
  return `${opened(presentAttempt(attempt))}${output === undefined ? "" : `,"output":${output}`}}`;
}

/** An object as JSON, to which members are to be added. */
function opened(object: object): string {
  return JSON.stringify(object).slice(0, -1);
}

function presentTimeline(timeline: Timeline): object {
  const { job, deliveries } = timeline;
  return {
    id: job.id,
    status: job.state,
    attempt: job.attempt,
    retries: job.losses,
    submittedAt: dateText(timeline.submittedAt),
    traceContext: timeline.trace && presentTrace(timeline.trace),
    queuedAt: dateText(job.queuedAt),
    startedAt: dateText(job.takenAt),
    endedAt: dateText(job.endedAt),
    ...presentWorkerOf(job.worker),
    lowPriority: timeline.lowPriority,
    executionTimeout: job.executionTimeout,
    ttl: timeline.ttl,
    position: timeline.position,
    reason: timeline.reason,
    chunks: { count: timeline.chunks, bytes: timeline.chunkBytes },
    webhooks: deliveries.map(presentDelivery),
  };
}

function presentAttempt(given: TimelineAttempt): object {
  const { attempt, queuedAt, startedAt, endedAt, worker, outcome, error, exit, coldStart, chunks } = given;
  return {
    attempt,
    queuedAt: dateText(queuedAt),
    startedAt: dateText(startedAt),
    endedAt: dateText(endedAt),
    ...presentWorkerOf(worker),
    outcome,
    error,
    exit: exit === undefined ? undefined : presentExit(exit),
    coldStart: coldStart === undefined ? undefined : presentColdStart(coldStart),
    chunks,
  };
}

function presentTrace({ traceparent, tracestate }: TraceContext): object {
  return { traceparent, tracestate };
}

/** The version is not known of workers that came by themselves. */
function presentWorkerOf(worker: string | undefined): object {
  return { workerId: worker, version: worker === undefined ? undefined : versionOf(worker) };
}

/** The providers say how a worker ended in words, such as `exit code 137`. */
function presentExit(reason: string): object {
  const code = /\bexit code (\d+)/.exec(reason)?.[1];
  const signal = /\bsignal (SIG[A-Z0-9]+)/.exec(reason)?.[1];
  return { code: code === undefined ? undefined : Number(code), signal, reason };
}

function presentColdStart({ wantedAt, pullMs, bootMs, firstPollMs }: ColdStart): object {
  return { wantedAt: dateText(wantedAt), pullMs, bootMs, firstPollMs };
}
