import { z } from "zod";

// What docs/api.md and docs/worker-protocol.md promise of each answer. Nothing more may be in one.

const nextCursor = z.string().min(1).optional();
const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const state = z.enum(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"]);
const count = z.int().min(0);
const nothing = z.strictObject({});
const json = z.unknown();

/** What a worker puts out, as it is. */
export const ANYTHING = json;

export type Shape = z.ZodType;

/** 4.A: run, retry and cancel answer these two only. */
export const JOB_AND_STATE = z.strictObject({ id, status: state });
export const QUEUED_JOB = z.strictObject({ id, status: z.literal("IN_QUEUE") });

const members = {
  id,
  status: state,
  delayTime: count.optional(),
  executionTime: count.optional(),
  workerId: id.optional(),
  retries: z.int().min(1).optional(),
};
const record = z.strictObject({ ...members, output: json.optional(), error: z.string().optional() });

/** 2.4, with what is known in each state; in the SDK's dialect a running job may have an output. */
function recordIn(dialect: "spec" | "sdk"): Shape {
  return record.superRefine((job, context) => {
    const isEnded = job.status !== "IN_QUEUE" && job.status !== "IN_PROGRESS";
    const mayHaveOutput = job.status === "COMPLETED" || (dialect === "sdk" && job.status === "IN_PROGRESS");
    const rules: [boolean, string][] = [
      [job.output === undefined || mayHaveOutput, "output is there only when COMPLETED"],
      [
        (job.error !== undefined) === ["FAILED", "TIMED_OUT"].includes(job.status),
        "error comes with its states",
      ],
      [job.executionTime === undefined || isEnded, "executionTime is there only when ended"],
      [job.status !== "COMPLETED" || job.executionTime !== undefined, "a COMPLETED job has been executed"],
      [
        (job.delayTime === undefined) === (job.workerId === undefined),
        "delayTime and workerId come together",
      ],
      [job.status !== "IN_QUEUE" || job.workerId === undefined, "a job that waits has no worker"],
      [job.status !== "IN_PROGRESS" || job.workerId !== undefined, "a job that runs has a worker"],
    ];
    for (const [holds, message] of rules) if (!holds) context.addIssue({ code: "custom", message });
  });
}

export const RECORD = { spec: recordIn("spec"), sdk: recordIn("sdk") } as const;

const purged = z.strictObject({
  id,
  status: z.literal("CANCELLED"),
  error: z.enum(["removed by purge-queue", "removed with its endpoint"]),
});

/** 4.A.1 and 7, and the last state of a job that its Idempotency-Key has outlived. */
export const RUNSYNC_RECORD = {
  spec: z.union([RECORD.spec, purged, JOB_AND_STATE]),
  sdk: z.union([RECORD.sdk, purged, JOB_AND_STATE]),
} as const;

const chunk = z.strictObject({ output: json.optional(), metrics: json.optional() });
export const STREAM = {
  spec: z.array(chunk),
  sdk: z.strictObject({ id, status: state, stream: z.array(chunk) }),
} as const;

export const PURGED = z.strictObject({ removed: count, status: z.literal("completed") });

export const HEALTH = z.strictObject({
  jobs: z.strictObject({
    completed: count,
    failed: count,
    inProgress: count,
    inQueue: count,
    retried: count,
  }),
  workers: z.strictObject({
    idle: count,
    initializing: count,
    ready: count,
    running: count,
    throttled: count,
    unhealthy: count,
  }),
});

export const REQUESTS = z.strictObject({
  requests: z.array(z.strictObject({ ...members, status: state })),
  nextCursor: z.string().min(1).optional(),
});

const warnings = z
  .array(z.strictObject({ field: z.string(), message: z.string() }))
  .min(1)
  .optional();

const template = {
  id,
  name: z.string(),
  imageName: z.string(),
  category: z.enum(["NVIDIA", "AMD", "CPU"]),
  containerDiskInGb: count,
  containerRegistryAuthId: z.string(),
  dockerEntrypoint: z.array(z.string()),
  dockerStartCmd: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  ports: z.array(z.string().regex(/^[0-9]+\/(http|tcp)$/)),
  readme: z.string(),
  volumeInGb: count,
  volumeMountPath: z.string(),
  isPublic: z.boolean(),
  isServerless: z.boolean(),
  isPlatform: z.boolean(),
  earned: z.literal(0),
  // Of one whose workers Forebay starts it grows with each minute of the run.
  runtimeInMin: count,
  warnings,
};
export const TEMPLATE = {
  spec: z.strictObject(template),
  sdk: z.strictObject({ ...template, isRunpod: z.boolean() }),
} as const;
export const TEMPLATES = { spec: z.array(TEMPLATE.spec), sdk: z.array(TEMPLATE.sdk) } as const;

export const REGISTRY_LOGIN = z.strictObject({ id, name: z.string() });
export const REGISTRY_LOGINS = z.array(REGISTRY_LOGIN);
const LAST_EXIT = z.strictObject({
  worker: id.optional(),
  how: z.string().min(1),
  at: z.iso.datetime(),
  lastLines: z.array(z.string()),
});

const FLEET = z.strictObject({
  state: z.enum([
    "IDLE",
    "RUNNING",
    "STARTING",
    "AT_MAXIMUM",
    "NO_ROOM",
    "UNHEALTHY",
    "CRASH_LOOP",
    "PAUSED",
  ]),
  reason: z.string().min(1).optional(),
  nextStartAt: z.iso.datetime().optional(),
  lastExit: LAST_EXIT.optional(),
  coldStartMs: count.optional(),
});

const names = z.array(z.string().min(1));

const WORKER = z.strictObject({
  id,
  state: z.enum(["INITIALIZING", "IDLE", "RUNNING", "OUTDATED", "DRAINING", "UNHEALTHY"]),
  reason: z.string().optional(),
  managed: z.boolean(),
  provider: z.string().optional(),
  host: id.optional(),
  jobs: z.array(id),
  startedAt: z.iso.datetime().optional(),
  lastContact: z.iso.datetime().optional(),
  heartbeats: z.boolean(),
  version: z.int().min(1).optional(),
});
export const WORKERS = z.strictObject({ workers: z.array(WORKER), nextCursor });

const endpoint = {
  id,
  name: z.string(),
  userId: id,
  templateId: z.union([id, z.literal("")]),
  env: z.record(z.string(), z.string()),
  gpuCount: z.int().min(1).optional(),
  gpuTypeIds: names,
  vcpuCount: z.int().min(1).optional(),
  shmSizeInMb: z.int().min(1).optional(),
  hostLabel: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,63}$/)
    .optional(),
  computeType: z.enum(["GPU", "CPU"]),
  dataCenterIds: names,
  cpuFlavorIds: names,
  instanceIds: names,
  allowedCudaVersions: names,
  minCudaVersion: z.string(),
  flashboot: z.boolean(),
  workersMin: count,
  workersMax: count,
  idleTimeout: z.int().min(1),
  scalerType: z.enum(["QUEUE_DELAY", "REQUEST_COUNT"]),
  historyInputs: z.enum(["failed", "none", "all"]),
  scalerValue: z.int().min(1),
  releaseSurge: count,
  releasePace: z.int().min(1).optional(),
  version: count,
  isPaused: z.boolean(),
  rateLimits: z
    .record(z.string(), z.strictObject({ requests: count, concurrent: count.optional() }))
    .optional(),
  executionTimeoutMs: z.int().min(5_001),
  ttlMs: z.int().min(10_000),
  runRetentionMs: z.int().min(1_000),
  runsyncRetentionMs: z.int().min(1_000),
  maxQueuedJobs: count.optional(),
  maxQueuedBytes: count.optional(),
  webhookRetries: count,
  webhookHeaders: z.record(z.string(), z.literal("***")).optional(),
  createdAt: z.iso.datetime(),
  fleet: FLEET.optional(),
  workers: z.array(WORKER).optional(),
  warnings,
};
export const ENDPOINT = {
  spec: z.strictObject({ ...endpoint, template: TEMPLATE.spec.optional() }),
  sdk: z.strictObject({ ...endpoint, template: TEMPLATE.sdk.optional() }),
} as const;
export const ENDPOINTS = { spec: z.array(ENDPOINT.spec), sdk: z.array(ENDPOINT.sdk) } as const;

export const RELEASE = z.strictObject({
  version: z.int().min(1),
  state: z.enum(["ROLLING", "PAUSED", "COMPLETE", "STOPPED", "REPLACED"]),
  imageName: z.string().min(1),
  pinnedImage: z.string().min(1).optional(),
  rollbackTo: z.int().min(1).optional(),
  pausedAt: z.iso.datetime().optional(),
  createdAt: z.iso.datetime(),
  servedAt: z.iso.datetime().optional(),
  completeAt: z.iso.datetime().optional(),
  stopped: z.strictObject({ at: z.iso.datetime(), lastExit: LAST_EXIT }).optional(),
});
export const RELEASES = z.strictObject({ releases: z.array(RELEASE), nextCursor });

const key = {
  id,
  account: id,
  name: z.string(),
  scopes: z.array(z.enum(["read", "write", "manage", "admin", "metrics"])).min(1),
  endpoints: z.array(id).min(1).optional(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
  previousUntil: z.iso.datetime().optional(),
};
export const NEW_KEY = z.strictObject({ ...key, key: z.string().regex(/^fbk_[a-z0-9]{14}_[\w-]{51}$/) });
export const KEYS = z.strictObject({ keys: z.array(z.strictObject(key)), nextCursor });
export const ACCOUNT = z.strictObject({ id, name: z.string(), createdAt: z.iso.datetime() });
export const ACCOUNTS = z.strictObject({ accounts: z.array(ACCOUNT), nextCursor });

export const SESSION = z.strictObject({
  account: z.strictObject({ id, name: z.string() }),
  scopes: z.array(z.enum(["read", "write", "manage", "admin"])).min(1),
  endpoints: z.array(id).min(1).optional(),
});

export const ADMISSION = z.strictObject({ workerId: id, env: z.record(z.string(), z.string()) });
/** docs/logs.md: a line of JSON for each line. */
export const LOGS = z.array(
  z.strictObject({
    time: z.iso.datetime(),
    stream: z.enum(["stdout", "stderr", "forebay"]),
    line: z.string(),
  }),
);
export const JOB_INPUT = z.looseObject({});

export const TAKEN_JOB = z.looseObject({ id, input: z.looseObject({}) });
export const TAKEN_JOBS = z.array(TAKEN_JOB).min(1).max(1_000);
export const STOPS = z.strictObject({ jobsToStop: z.array(id).min(1) });
export const ACCEPTED = nothing;
export const EXCHANGED = z.strictObject({
  jobs: z.array(z.strictObject({ attempt: z.int().min(1), job: TAKEN_JOB })),
  stop: z.array(id),
  ignored: z.array(z.string()),
});

export const RUNNING = z.strictObject({ status: z.literal("ok"), time: z.iso.datetime() });
export const SERVING = z.strictObject({
  status: z.literal("ok"),
  disk: z.strictObject({ state: z.string(), freeBytes: z.int(), totalBytes: z.int() }).optional(),
});

/** 4.C. */
export const OPENAPI = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });

/** 7. */
export const ERROR = z.strictObject({ error: z.string().min(1), code: z.string(), status: z.int() });

export const SECRETS_ROTATED = z.strictObject({ resealed: count, previousKeyRemoved: z.boolean() });
