import { z } from "zod";
import type { Access } from "../../domain/account.ts";
import { ATTEMPT_OUTCOMES, type ColdStart, KEPT_ATTEMPTS } from "../../domain/attempt.ts";
import { tagsIn } from "../../domain/tags.ts";
import type { Timeline, TimelineAttempt } from "../../domain/timeline.ts";
import type { TraceContext } from "../../domain/trace-context.ts";
import { versionOf, type WorkerGpu } from "../../domain/worker.ts";
import { presentReason, waitReason } from "./fleet.ts";
import { JOB_ID } from "./job.ts";
import {
  anyJson,
  type Answered,
  count,
  dateText,
  id,
  jobState,
  moment,
  presentTags,
  type Shown,
  span,
  tags,
} from "./members.ts";
import { delivery, presentDelivery } from "./webhook.ts";

/** What happened to a job, and why it waits (docs/timeline.md). */
const version = z.int().min(1).optional().meta({ description: "Of the release that its worker was of." });

const coldStart = z
  .strictObject({
    wantedAt: moment.meta({ description: "When Forebay asked for the start." }),
    pullMs: span.optional().meta({ description: "How long the image was fetched, ms." }),
    bootMs: span.optional().meta({ description: "From there until the worker ran, ms." }),
    firstPollMs: span.optional().meta({ description: "From there until it first called, ms." }),
  })
  .meta({ id: "ColdStart", description: "How long the worker took to start for which the job waited." });

const exit = z
  .strictObject({
    code: z.int().min(0).optional(),
    signal: z.string().optional(),
    reason: z.string().meta({ description: "How the worker ended, in words." }),
  })
  .meta({ id: "WorkerExit", description: "How a worker ended that Forebay had started." });

const gpu = z
  .strictObject({ uuid: z.string(), name: z.string().meta({ description: "Of the model." }) })
  .meta({ id: "WorkerGpu", description: "A GPU that a worker had for itself." });

const attempt = z
  .strictObject({
    attempt: z.int().min(1),
    queuedAt: moment,
    startedAt: moment,
    endedAt: moment.optional().meta({ description: "Left out while it runs." }),
    workerId: id.optional(),
    version,
    host: id.optional().meta({ description: "Where its worker ran, if Forebay started it." }),
    gpus: z.array(gpu).min(1).optional().meta({ description: "What its worker had." }),
    gpuSeconds: z.number().min(0).optional().meta({
      description:
        "The number of GPUs of its worker, times the seconds of the attempt, until now if it runs.",
    }),
    outcome: z.enum(ATTEMPT_OUTCOMES),
    error: z.string().optional().meta({ description: "At most 2 kB of it." }),
    output: anyJson("What was reported beside the error, up to 16 kB.").optional(),
    exit: exit.optional(),
    coldStart: coldStart.optional(),
    chunks: count.meta({ description: "How many it sent." }),
  })
  .meta({ id: "Attempt", description: "One hand-out of a job to a worker." });

const traceContext = z
  .strictObject({ traceparent: z.string(), tracestate: z.string().optional() })
  .meta({ id: "TraceContext", description: "The trace that the job was submitted in (W3C trace context)." });

export const TIMELINE = {
  schema: z
    .strictObject({
      id,
      status: jobState,
      attempt: count.meta({ description: "How often it was handed out." }),
      retries: count.meta({ description: "How often it was lost at a worker, since the last retry." }),
      submittedAt: moment,
      traceContext: traceContext.optional(),
      queuedAt: moment.meta({ description: "When it was put into the queue last." }),
      startedAt: moment.optional().meta({ description: "When it was handed out last." }),
      endedAt: moment.optional(),
      workerId: id.optional(),
      version,
      lowPriority: z.boolean(),
      tags,
      executionTimeout: span.meta({ description: "How long one attempt may take, ms." }),
      ttl: span.meta({ description: "How long it may take as a whole, from the submit or retry on, ms." }),
      position: z
        .int()
        .min(1)
        .optional()
        .meta({ description: "While it is IN_QUEUE: 1 is the next one, 20001 that or farther behind." }),
      reason: waitReason.optional().meta({ description: "While it is IN_QUEUE." }),
      attempts: z
        .array(attempt)
        .max(KEPT_ATTEMPTS)
        .meta({ description: `The oldest first; of more the newest ${KEPT_ATTEMPTS}.` }),
      chunks: z
        .strictObject({ count, bytes: count })
        .meta({ description: "The chunks of the newest attempt." }),
      progress: anyJson("The newest value, while it is IN_PROGRESS.").optional(),
      webhooks: z.array(delivery).meta({ description: "Those of the ends of this job." }),
    })
    .meta({ id: "Timeline", description: "How a job went; times and worker are those of the last attempt." }),
  example: {
    id: JOB_ID,
    status: "COMPLETED",
    attempt: 2,
    retries: 1,
    submittedAt: "2026-08-01T12:00:00.000Z",
    queuedAt: "2026-08-01T12:00:03.100Z",
    startedAt: "2026-08-01T12:00:04.300Z",
    endedAt: "2026-08-01T12:00:04.780Z",
    workerId: "w4k2m9x7q1_2",
    version: 2,
    lowPriority: false,
    tags: ["nightly"],
    executionTimeout: 600_000,
    ttl: 86_400_000,
    attempts: [
      {
        attempt: 1,
        queuedAt: "2026-08-01T12:00:00.000Z",
        startedAt: "2026-08-01T12:00:02.900Z",
        endedAt: "2026-08-01T12:00:03.100Z",
        workerId: "w9c1d0s8e2_2",
        version: 2,
        host: "gpu-1",
        gpus: [{ uuid: "GPU-4b2d1e3c-6a5f-4c7e-9d8b-0a1f2e3d4c5b", name: "NVIDIA L40S" }],
        gpuSeconds: 0.2,
        outcome: "LOST",
        error: "the worker ended",
        exit: { code: 137, reason: "exit code 137" },
        coldStart: {
          wantedAt: "2026-08-01T12:00:00.010Z",
          pullMs: 2_100,
          bootMs: 240,
          firstPollMs: 540,
        },
        chunks: 0,
      },
      {
        attempt: 2,
        queuedAt: "2026-08-01T12:00:03.100Z",
        startedAt: "2026-08-01T12:00:04.300Z",
        endedAt: "2026-08-01T12:00:04.780Z",
        workerId: "w4k2m9x7q1_2",
        version: 2,
        host: "gpu-2",
        gpus: [{ uuid: "GPU-8c7b6a59-4d3e-4f2a-8b1c-9e0d7f6a5b4c", name: "NVIDIA L40S" }],
        gpuSeconds: 0.48,
        outcome: "COMPLETED",
        chunks: 0,
      },
    ],
    chunks: { count: 0, bytes: 0 },
    webhooks: [],
  },
};

export type TimelineAnswer = Answered<typeof TIMELINE.schema>;
export type AttemptAnswer = Answered<typeof attempt>;

/** The times and the worker are those of the newest attempt. */
export function presentTimeline(
  timeline: Timeline,
  access: Access,
): Shown<Omit<TimelineAnswer, "attempts" | "progress">> {
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
    workerId: job.worker,
    version: job.worker === undefined ? undefined : versionOf(job.worker),
    lowPriority: timeline.lowPriority,
    tags: presentTags(tagsIn(job.tags)),
    executionTimeout: job.executionTimeout,
    ttl: timeline.ttl,
    position: timeline.position,
    reason: timeline.reason && presentReason(timeline.reason, access),
    chunks: { count: timeline.chunks, bytes: timeline.chunkBytes },
    webhooks: deliveries.map(presentDelivery),
  };
}

export function presentAttempt(given: TimelineAttempt): Shown<Omit<AttemptAnswer, "output">> {
  const { attempt, queuedAt, startedAt, endedAt, worker, place, gpuSeconds } = given;
  const { outcome, error, exit, coldStart, chunks } = given;
  return {
    attempt,
    queuedAt: dateText(queuedAt),
    startedAt: dateText(startedAt),
    endedAt: dateText(endedAt),
    workerId: worker,
    // Unknown for workers that Forebay did not start.
    version: worker === undefined ? undefined : versionOf(worker),
    host: place?.host,
    gpus: place === undefined || place.gpus.length === 0 ? undefined : place.gpus.map(presentGpu),
    gpuSeconds,
    outcome,
    error,
    exit: exit === undefined ? undefined : presentExit(exit),
    coldStart: coldStart && presentColdStart(coldStart),
    chunks,
  };
}

function presentGpu({ uuid, name }: WorkerGpu): Answered<typeof gpu> {
  return { uuid, name };
}

function presentTrace({ traceparent, tracestate }: TraceContext): Shown<Answered<typeof traceContext>> {
  return { traceparent, tracestate };
}

/** The providers describe how a worker ended in text, such as `exit code 137`. */
function presentExit(how: string): Shown<Answered<typeof exit>> {
  const code = /\bexit code (\d+)/.exec(how)?.[1];
  const signal = /\bsignal (SIG[A-Z0-9]+)/.exec(how)?.[1];
  return { code: code === undefined ? undefined : Number(code), signal, reason: how };
}

function presentColdStart(given: ColdStart): Shown<Answered<typeof coldStart>> {
  const { wantedAt, pullMs, bootMs, firstPollMs } = given;
  return { wantedAt: dateText(wantedAt), pullMs, bootMs, firstPollMs };
}
