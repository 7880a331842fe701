import { z } from "zod";
import type { WorkerToken, WorkerView } from "../../domain/worker.ts";
import { type Answered, count, dateText, id, moment, type Shown } from "./members.ts";

const STATUSES = ["RUNNING", "IDLE", "INITIALIZING", "THROTTLED", "UNHEALTHY"] as const;

const worker = z
  .strictObject({
    id,
    status: z.enum(STATUSES),
    isStale: z.boolean().meta({ description: "Whether it runs an earlier version." }),
    version: z.int().min(1).nullable(),
    gpuCount: count,
    image: z.string().nullable(),
    uptimeSeconds: count.nullable(),
    gpuTypeId: z.string().nullable(),
    dataCenterId: z.null().meta({ description: "There are no data centers." }),
    startedAt: moment.nullable(),
  })
  .meta({ id: "V2Worker", description: "A worker in the shape of v2." });

const version = z.int().min(1).nullable().meta({ description: "Of the newest release." });

export const V2_WORKERS = {
  schema: z.strictObject({
    workers: z.array(worker),
    summary: z.strictObject({
      running: count,
      idle: count,
      initializing: count,
      throttled: count,
      unhealthy: count,
      total: count,
    }),
    endpointVersion: version,
  }),
  example: {
    workers: [
      {
        id: "w4k2m9x7q1_1",
        status: "RUNNING",
        isStale: false,
        version: 1,
        gpuCount: 0,
        image: "registry.example.com/team/hello:1.2",
        uptimeSeconds: 300,
        gpuTypeId: null,
        dataCenterId: null,
        startedAt: "2026-01-31T12:00:00.000Z",
      },
    ],
    summary: { running: 1, idle: 0, initializing: 0, throttled: 0, unhealthy: 0, total: 1 },
    endpointVersion: 1,
  },
};

export type V2WorkerAnswer = Answered<typeof worker>;
export type V2WorkersAnswer = Answered<typeof V2_WORKERS.schema>;

/** What a worker's record shows besides what every worker has. */
export interface V2WorkerFacts {
  readonly token: Pick<WorkerToken, "gpus" | "runsSince"> | undefined;
  /** Of the release that it runs. */
  readonly image: string | undefined;
  /** Of the newest release. */
  readonly newest: number | undefined;
  readonly now: number;
}

export function presentV2Worker(
  shown: WorkerView,
  { token, image, newest, now }: V2WorkerFacts,
): Shown<V2WorkerAnswer> {
  const { gpus = [], runsSince } = token ?? {};
  return {
    id: shown.id,
    status: statusOf(shown),
    isStale: shown.version !== undefined && newest !== undefined && shown.version !== newest,
    version: shown.version ?? null,
    gpuCount: gpus.length,
    image: image ?? null,
    uptimeSeconds: runsSince === undefined ? null : Math.max(0, Math.floor((now - runsSince) / 1_000)),
    gpuTypeId: gpus[0]?.name ?? null,
    dataCenterId: null,
    startedAt: dateText(shown.startedAt) ?? null,
  };
}

/** How many workers have each status. */
export function summaryOf(workers: readonly V2WorkerAnswer[]): V2WorkersAnswer["summary"] {
  const number = (wanted: V2WorkerAnswer["status"]): number =>
    workers.filter(({ status }) => status === wanted).length;
  return {
    running: number("RUNNING"),
    idle: number("IDLE"),
    initializing: number("INITIALIZING"),
    throttled: number("THROTTLED"),
    unhealthy: number("UNHEALTHY"),
    total: workers.length,
  };
}

/** v2 has no status for workers that are being replaced or stopped: they work, or they are idle. */
function statusOf({ state, jobs }: WorkerView): V2WorkerAnswer["status"] {
  if (state !== "OUTDATED" && state !== "DRAINING") return state;
  return jobs.length > 0 ? "RUNNING" : "IDLE";
}

const release = z
  .strictObject({
    id: z.string(),
    version: z.int().min(1),
    source: z.enum(["MANUAL"]),
    buildId: z.null(),
    createdByUserId: z.null(),
    workerCount: count,
    createdAt: moment,
    diff: z.array(z.strictObject({ field: z.string(), old: z.unknown(), new: z.unknown() })),
  })
  .meta({ id: "V2Release", description: "A release in the shape of v2." });

export const V2_RELEASES = {
  schema: z.strictObject({
    endpointVersion: version,
    rollout: z.strictObject({
      inProgress: z.boolean(),
      workersOnLatest: count,
      workersTotal: count,
      percentOnLatest: count.max(100),
    }),
    releases: z.array(release),
  }),
  example: {
    endpointVersion: 2,
    rollout: { inProgress: false, workersOnLatest: 1, workersTotal: 1, percentOnLatest: 100 },
    releases: [
      {
        id: "e3n8v5c1wz.2",
        version: 2,
        source: "MANUAL",
        buildId: null,
        createdByUserId: null,
        workerCount: 1,
        createdAt: "2026-08-01T12:00:00.000Z",
        diff: [{ field: "template.imageName", old: "team/hello:1.1", new: "team/hello:1.2" }],
      },
    ],
  },
};

export type V2ReleaseAnswer = Answered<typeof release>;
export type V2ReleasesAnswer = Answered<typeof V2_RELEASES.schema>;
