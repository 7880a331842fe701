import { z } from "zod";
import { SCALER_TYPES } from "../../../domain/endpoint.ts";
import { FLEET_STATES } from "../../../domain/fleet-report.ts";
import { COMPUTE_TYPES } from "../../../domain/placement.ts";
import { RATE_LIMITS } from "../../../domain/rate-limits.ts";
import { RELEASE_STATES } from "../../../domain/release.ts";
import { TEMPLATE_CATEGORIES } from "../../../domain/template.ts";
import { WORKER_STATES } from "../../../domain/worker.ts";
import { count, id, moment, nextCursor, span } from "./words.ts";

/** The answers of the management API (spec 2.8; docs/api.md, 4.B). */
const template = {
  id,
  name: z.string(),
  imageName: z.string(),
  category: z.enum(TEMPLATE_CATEGORIES),
  containerDiskInGb: count,
  containerRegistryAuthId: z.string(),
  dockerEntrypoint: z.array(z.string()),
  dockerStartCmd: z.array(z.string()),
  env: z
    .record(z.string(), z.string())
    .meta({ description: "The values in a public template of another account are shown as `***`." }),
  ports: z.array(z.string()),
  readme: z.string().meta({ description: "Markdown." }),
  volumeInGb: count,
  volumeMountPath: z.string(),
  isPublic: z.boolean().meta({ description: "Whether other accounts may see and use it." }),
  isServerless: z.boolean(),
  isPlatform: z.boolean().meta({ description: "Whether it is one of the operator's." }),
  earned: z.number(),
  runtimeInMin: count,
};

const OF_TEMPLATE = { id: "Template", description: "What a worker is made of (all eighteen members)." };

const A_TEMPLATE = {
  id: "t7d0k2p5sx",
  name: "hello",
  imageName: "registry.example.com/team/hello:1.2",
  category: "NVIDIA",
  containerDiskInGb: 50,
  containerRegistryAuthId: "",
  dockerEntrypoint: [],
  dockerStartCmd: ["python", "handler.py"],
  env: { MODEL: "small" },
  ports: ["8888/http"],
  readme: "",
  volumeInGb: 20,
  volumeMountPath: "/workspace",
  isPublic: false,
  isServerless: true,
  isPlatform: false,
  earned: 0,
  runtimeInMin: 0,
};

export const TEMPLATE = {
  spec: { schema: z.strictObject(template).meta(OF_TEMPLATE), example: A_TEMPLATE },
  sdk: {
    schema: z
      .strictObject({ ...template, isRunpod: z.boolean().meta({ description: "As `isPlatform`." }) })
      .meta(OF_TEMPLATE),
    example: { ...A_TEMPLATE, isRunpod: false },
  },
} as const;

export const TEMPLATES = {
  spec: { schema: z.array(TEMPLATE.spec.schema), example: [TEMPLATE.spec.example] },
  sdk: { schema: z.array(TEMPLATE.sdk.schema), example: [TEMPLATE.sdk.example] },
} as const;

const raised = z.strictObject({ requests: count.optional(), concurrent: count.optional() }).optional();

const worker = z
  .strictObject({
    id,
    state: z.enum(WORKER_STATES),
    reason: z.string().optional().meta({ description: "Why it is UNHEALTHY." }),
    managed: z.boolean().meta({ description: "Whether Forebay starts and stops it." }),
    provider: z.string().optional().meta({ description: "With what Forebay started it." }),
    jobs: z.array(id).meta({ description: "The jobs that it has." }),
    startedAt: moment.optional().meta({ description: "When Forebay asked for its start." }),
    lastContact: moment.optional().meta({ description: "When it last called, up to a second before it." }),
    heartbeats: z.boolean().meta({
      description: "Whether it sends heartbeats. False: it shares its token and has not pinged yet.",
    }),
    version: z.int().min(1).optional().meta({ description: "The release that Forebay started it from." }),
  })
  .meta({ id: "Worker", description: "A worker of an endpoint." });

const lastExit = z.strictObject({
  worker: id.optional(),
  how: z.string(),
  at: moment,
  lastLines: z.array(z.string()),
});

const fleet = z
  .strictObject({
    state: z.enum(FLEET_STATES),
    reason: z.string().optional().meta({ description: "Why jobs wait." }),
    nextStartAt: moment.optional(),
    lastExit: lastExit
      .optional()
      .meta({ description: "The last worker that ended by itself or could not be started." }),
    coldStartMs: span.optional(),
  })
  .meta({ id: "Fleet", description: "How it is with the workers that Forebay starts for the endpoint." });

const NO_EFFECT = { description: "As it was sent; it has no effect here." };
const wishes = z.array(z.string()).meta(NO_EFFECT);

const endpoint = {
  id,
  name: z.string(),
  userId: id.meta({ description: "The account." }),
  templateId: z.string().meta({ description: "What Forebay starts for it; empty: nothing." }),
  env: z
    .record(z.string(), z.string())
    .meta({ description: "Variables of its workers, which go before those of the template." }),
  gpuCount: z.int().min(1).optional().meta({ description: "GPUs of each container." }),
  gpuTypeIds: z.array(z.string()).meta({ description: "Any name asks for one GPU, of whatever type." }),
  vcpuCount: z.int().min(1).optional().meta({ description: "Cores of each container at most." }),
  computeType: z.enum(COMPUTE_TYPES).meta(NO_EFFECT),
  dataCenterIds: wishes,
  cpuFlavorIds: wishes,
  instanceIds: wishes,
  allowedCudaVersions: wishes,
  minCudaVersion: z.string().meta(NO_EFFECT),
  flashboot: z.boolean().meta(NO_EFFECT),
  workersMin: count,
  workersMax: count,
  idleTimeout: z.int().min(1).meta({ description: "Seconds." }),
  scalerType: z.enum(SCALER_TYPES).meta({ description: "What makes Forebay start another worker." }),
  scalerValue: z.int().min(1).meta({ description: "Seconds that a job may wait, or jobs for each worker." }),
  releaseSurge: count.meta({ description: "Workers that a release may take beyond `workersMax`." }),
  releasePace: z.int().min(1).optional().meta({ description: "Workers that a release starts at a time." }),
  version: count.meta({ description: "Of its newest release; 0 where Forebay starts no workers." }),
  isPaused: z.boolean().meta({ description: "Whether jobs wait and no worker is kept running." }),
  executionTimeoutMs: span,
  ttlMs: span,
  runRetentionMs: span,
  runsyncRetentionMs: span,
  rateLimits: z
    .strictObject(Object.fromEntries(Object.keys(RATE_LIMITS).map((operation) => [operation, raised])))
    .optional(),
  maxQueuedJobs: count.optional(),
  maxQueuedBytes: count.optional(),
  webhookRetries: count,
  webhookHeaders: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: "What goes with each webhook; values are shown as `***`." }),
  createdAt: moment,
  fleet: fleet.optional(),
  workers: z.array(worker).optional().meta({ description: "With `includeWorkers`." }),
};

const OF_ENDPOINT = {
  id: "Endpoint",
  description: "A queue and the workers behind it; its times are those that hold.",
};

const WITH_TEMPLATE = { description: "With `includeTemplate`." };

const AN_ENDPOINT = {
  id: "e3n8v5c1wz",
  name: "chat",
  userId: "default",
  templateId: A_TEMPLATE.id,
  env: { MODEL: "large" },
  gpuCount: 1,
  gpuTypeIds: [],
  computeType: "GPU",
  dataCenterIds: [],
  cpuFlavorIds: [],
  instanceIds: [],
  allowedCudaVersions: [],
  minCudaVersion: "",
  flashboot: false,
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
  releaseSurge: 1,
  version: 1,
  isPaused: false,
  executionTimeoutMs: 600_000,
  ttlMs: 86_400_000,
  runRetentionMs: 1_800_000,
  runsyncRetentionMs: 60_000,
  webhookRetries: 2,
  createdAt: "2026-08-01T12:00:00.000Z",
  fleet: { state: "RUNNING", coldStartMs: 850 },
};

export const ENDPOINT = {
  spec: {
    schema: z
      .strictObject({ ...endpoint, template: TEMPLATE.spec.schema.optional().meta(WITH_TEMPLATE) })
      .meta(OF_ENDPOINT),
    example: AN_ENDPOINT,
  },
  sdk: {
    schema: z
      .strictObject({ ...endpoint, template: TEMPLATE.sdk.schema.optional().meta(WITH_TEMPLATE) })
      .meta(OF_ENDPOINT),
    example: AN_ENDPOINT,
  },
} as const;

export const ENDPOINTS = {
  spec: { schema: z.array(ENDPOINT.spec.schema), example: [ENDPOINT.spec.example] },
  sdk: { schema: z.array(ENDPOINT.sdk.schema), example: [ENDPOINT.sdk.example] },
} as const;

const release = z
  .strictObject({
    version: z.int().min(1),
    state: z.enum(RELEASE_STATES),
    imageName: z.string(),
    pinnedImage: z
      .string()
      .optional()
      .meta({ description: "What its workers run: the image by the digest under which it was pulled." }),
    rollbackTo: z.int().min(1).optional().meta({ description: "The version that it brings back." }),
    createdAt: moment,
    pausedAt: moment.optional().meta({ description: "Since when it is `PAUSED`." }),
    servedAt: moment.optional().meta({ description: "When a worker of it called first." }),
    completeAt: moment.optional().meta({ description: "When no worker of another version ran any more." }),
    stopped: z
      .strictObject({ at: moment, lastExit })
      .optional()
      .meta({ description: "Why it was stopped: the start of a worker that failed last." }),
  })
  .meta({ id: "Release", description: "One version of what the workers of an endpoint start from." });

export const RELEASE = {
  schema: release,
  example: {
    version: 2,
    state: "ROLLING",
    imageName: A_TEMPLATE.imageName,
    createdAt: "2026-08-01T12:00:00.000Z",
    rollbackTo: 1,
  },
};

export const RELEASES = {
  schema: z.strictObject({ releases: z.array(release), nextCursor: nextCursor.optional() }),
  example: { releases: [RELEASE.example] },
};

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

export const WORKERS = {
  schema: z.strictObject({ workers: z.array(worker), nextCursor: nextCursor.optional() }),
  example: {
    workers: [
      {
        id: ADMISSION.example.workerId,
        state: "RUNNING",
        managed: true,
        provider: "docker",
        jobs: ["01990a4c-5f6a-7000-8c1e-0242ac120002-u1"],
        startedAt: "2026-01-31T12:00:00.000Z",
        lastContact: "2026-01-31T12:05:00.000Z",
        heartbeats: true,
        version: 1,
      },
    ],
  },
};
