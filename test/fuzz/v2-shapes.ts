import { z } from "zod";

// What docs/migrate.md and the published document of the API v2 promise of each answer.

const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);
const count = z.int().min(0);
const texts = z.array(z.string());
const warnings = z.array(z.strictObject({ field: z.string(), message: z.string() })).min(1);

const container = { args: z.string(), disk: count, ports: texts, registry: id.nullable() };

export const V2_TEMPLATE = z.strictObject({
  id,
  name: z.string(),
  image: z.string(),
  ...container,
  env: z.record(z.string(), z.string()),
  mounts: z.strictObject({ persistent: z.strictObject({ size: count, path: z.string() }).optional() }),
  serverless: z.boolean(),
  public: z.boolean(),
  category: z.enum(["CPU", "NVIDIA", "AMD"]),
  startSsh: z.literal(false),
  startJupyter: z.literal(false),
  allowedCudaVersions: texts.max(0),
  warnings: warnings.optional(),
});
export const V2_TEMPLATES = z.strictObject({ templates: z.array(V2_TEMPLATE) });

const url = z.url();

export const V2_ENDPOINT = z.strictObject({
  id,
  name: z.string(),
  type: z.literal("QUEUE"),
  image: z.string().optional(),
  ...z.object(container).partial().shape,
  env: z.record(z.string(), z.string()),
  templateId: id.optional(),
  requestUrls: z.strictObject({
    run: url,
    runSync: url,
    status: z.string(),
    stream: z.string(),
    cancel: z.string(),
    retry: z.string(),
    purgeQueue: url,
    health: url,
  }),
  gpu: z
    .strictObject({
      pools: texts.min(1),
      count: z.int().min(1),
      allowedCudaVersions: texts,
      minCudaVersion: z.string().min(1).nullable(),
    })
    .nullable(),
  cpu: z
    .array(z.strictObject({ id: z.string(), vcpuCount: z.int().min(1), memory: z.int().min(1) }))
    .min(1)
    .optional(),
  workers: z.strictObject({ min: count, max: count, idleTimeout: z.int().min(1) }),
  scaling: z.union([
    z.strictObject({ type: z.literal("QUEUE_DELAY"), queueDelay: z.int().min(1) }),
    z.strictObject({ type: z.literal("REQUEST_COUNT"), requestCount: z.int().min(1) }),
  ]),
  dataCenterIds: texts,
  networkVolumes: texts.max(0),
  timeout: z.int().min(5_001),
  flashboot: z.enum(["OFF", "FLASHBOOT"]),
  createdAt: z.iso.datetime(),
  warnings: warnings.optional(),
});
export const V2_ENDPOINTS = z.strictObject({ endpoints: z.array(V2_ENDPOINT) });

const version = z.int().min(1).nullable();

export const V2_WORKERS = z.strictObject({
  workers: z.array(
    z.strictObject({
      id,
      status: z.enum(["RUNNING", "IDLE", "INITIALIZING", "THROTTLED", "UNHEALTHY"]),
      isStale: z.boolean(),
      version,
      gpuCount: count,
      image: z.string().nullable(),
      uptimeSeconds: count.nullable(),
      gpuTypeId: z.string().nullable(),
      dataCenterId: z.null(),
      startedAt: z.iso.datetime().nullable(),
    }),
  ),
  summary: z.strictObject({
    running: count,
    idle: count,
    initializing: count,
    throttled: count,
    unhealthy: count,
    total: count,
  }),
  endpointVersion: version,
});

export const V2_RELEASES = z.strictObject({
  endpointVersion: version,
  rollout: z.strictObject({
    inProgress: z.boolean(),
    workersOnLatest: count,
    workersTotal: count,
    percentOnLatest: count.max(100),
  }),
  releases: z.array(
    z.strictObject({
      id: z.string(),
      version: z.int().min(1),
      source: z.literal("MANUAL"),
      buildId: z.null(),
      createdByUserId: z.null(),
      workerCount: count,
      createdAt: z.iso.datetime(),
      diff: z.array(z.strictObject({ field: z.string(), old: z.unknown(), new: z.unknown() })),
    }),
  ),
});

export const V2_REGISTRY = z.strictObject({ id, name: z.string() });
export const V2_REGISTRIES = z.strictObject({ registries: z.array(V2_REGISTRY) });

const availability = z.enum(["NONE", "LOW", "MEDIUM", "HIGH"]).optional();

export const V2_GPU = z.strictObject({
  id: z.string(),
  name: z.string(),
  pool: z.string(),
  manufacturer: z.enum(["NVIDIA", "AMD", "UNKNOWN"]),
  memory: count,
  secure: z.boolean(),
  community: z.boolean(),
  price: z.strictObject({ secure: z.number(), community: z.number(), serverless: z.number() }),
  maxCount: z.strictObject({ secure: count, community: count }),
  availability,
});
export const V2_GPUS = z.strictObject({ gpus: z.array(V2_GPU) });

export const V2_CPU = z.strictObject({
  id: z.string(),
  name: z.string(),
  group: z.string(),
  vcpu: z.strictObject({ min: count, max: count }),
  ramGbPerVcpu: z.number(),
  price: z.strictObject({ securePerVcpu: z.number(), serverlessPerVcpu: z.number() }),
  availability,
});
export const V2_CPUS = z.strictObject({ cpus: z.array(V2_CPU) });

/** docs/errors.md: errors of the management API v2. */
export const PROBLEM = z.strictObject({
  title: z.string().min(1),
  status: z.int(),
  detail: z.string().min(1),
  errors: texts.min(1).optional(),
  error: z.string().min(1),
  code: z.string(),
});
