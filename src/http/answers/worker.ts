import { z } from "zod";
import type { WorkerCounts } from "../../domain/fleet-report.ts";
import { WORKER_STATES, type WorkerView } from "../../domain/worker.ts";
import { type Answered, count, dateText, id, moment, nextCursor, type Shown } from "./members.ts";

/** The workers of an endpoint (docs/api.md, 4.B). */
export const worker = z
  .strictObject({
    id,
    state: z.enum(WORKER_STATES),
    reason: z.string().optional().meta({ description: "Why it is UNHEALTHY." }),
    managed: z.boolean().meta({ description: "Whether Forebay starts and stops it." }),
    provider: z.string().optional().meta({ description: "With what Forebay started it." }),
    host: id.optional().meta({ description: "Where Forebay started it." }),
    jobs: z.array(id).meta({ description: "The jobs that it has." }),
    startedAt: moment.optional().meta({ description: "When Forebay asked for its start." }),
    lastContact: moment.optional().meta({ description: "When it last called, up to a second before it." }),
    heartbeats: z.boolean().meta({
      description: "Whether it sends heartbeats. False: it shares its token and has not pinged yet.",
    }),
    version: z.int().min(1).optional().meta({ description: "The release that Forebay started it from." }),
  })
  .meta({ id: "Worker", description: "A worker of an endpoint." });

export type WorkerAnswer = Answered<typeof worker>;

export function presentWorker(worker: WorkerView): Shown<WorkerAnswer> {
  return {
    id: worker.id,
    state: worker.state,
    reason: worker.reason,
    heartbeats: worker.heartbeats,
    managed: worker.managed,
    provider: worker.provider,
    host: worker.host,
    jobs: worker.jobs,
    version: worker.version,
    startedAt: dateText(worker.startedAt),
    lastContact: dateText(worker.lastContact),
  };
}

export const ADMISSION = {
  schema: z
    .strictObject({ workerId: id, env: z.record(z.string(), z.string()) })
    .meta({ id: "Admission", description: "A worker's id, and the environment with which it connects." }),
  example: {
    workerId: "w4k2m9x7q1",
    env: {
      FOREBAY_EXCHANGE_URL: "http://127.0.0.1:8000/v2/e3n8v5c1wz/exchange/w4k2m9x7q1",
      FOREBAY_WORKER_TOKEN: "…",
    },
  },
};

export type AdmissionAnswer = Answered<typeof ADMISSION.schema>;

export const WORKERS = {
  schema: z.strictObject({ workers: z.array(worker), nextCursor: nextCursor.optional() }),
  example: {
    workers: [
      {
        id: ADMISSION.example.workerId,
        state: "RUNNING",
        managed: true,
        provider: "docker",
        host: "gpu-1",
        jobs: ["01990a4c-5f6a-7000-8c1e-0242ac120002-u1"],
        startedAt: "2026-01-31T12:00:00.000Z",
        lastContact: "2026-01-31T12:05:00.000Z",
        heartbeats: true,
        version: 1,
      },
    ],
  },
};

export type WorkersAnswer = Answered<typeof WORKERS.schema>;

export type { LogLine as LogLineAnswer } from "../../domain/log.ts";

/** How many workers are in each state (spec 4.A.7). */
export const workerCounts = z.strictObject({
  idle: count,
  running: count,
  ready: count,
  initializing: count,
  throttled: count,
  unhealthy: count,
});

export function presentWorkerCounts(workers: WorkerCounts): Shown<Answered<typeof workerCounts>> {
  const { idle, running, ready, initializing, throttled, unhealthy } = workers;
  return { idle, running, ready, initializing, throttled, unhealthy };
}
