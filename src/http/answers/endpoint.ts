import { z } from "zod";
import { type Endpoint, SCALER_TYPES } from "../../domain/endpoint.ts";
import type { FleetView } from "../../domain/fleet-report.ts";
import { HISTORY_INPUTS } from "../../domain/history.ts";
import type { JobTimes } from "../../domain/job-times.ts";
import { COMPUTE_TYPES } from "../../domain/placement.ts";
import { RATE_LIMITS } from "../../domain/rate-limits.ts";
import { HIDDEN, WEBHOOK_RETRIES } from "../../domain/webhook.ts";
import type { WorkerView } from "../../domain/worker.ts";
import { fleet, presentFleet } from "./fleet.ts";
import {
  type Answered,
  count,
  dateText,
  id,
  moment,
  type Shown,
  span,
  type Warning,
  warnings,
} from "./members.ts";
import { TEMPLATE } from "./template.ts";
import { presentWorker, worker } from "./worker.ts";

/** Endpoints (spec 2.8; docs/api.md, 4.B). */
const raised = z.strictObject({ requests: count.optional(), concurrent: count.optional() }).optional();

const NO_EFFECT = { description: "As it was sent; it has no effect, and `warnings` says so." };
const wishes = z.array(z.string()).meta(NO_EFFECT);

const endpoint = {
  id,
  name: z.string(),
  userId: id.meta({ description: "The account." }),
  templateId: z.string().meta({ description: "What Forebay starts for it; empty: nothing." }),
  env: z
    .record(z.string(), z.string())
    .meta({ description: "Variables of its workers, which go before those of the template." }),
  gpuCount: z.int().min(1).optional().meta({ description: "GPUs of each worker." }),
  gpuTypeIds: z.array(z.string()).meta({
    description: "The types that its workers accept, the preferred one first; empty: any.",
  }),
  vcpuCount: z.int().min(1).optional().meta({ description: "Cores of each container at most." }),
  shmSizeInMb: z.int().min(1).optional().meta({ description: "Shared memory of each container." }),
  hostLabel: z.string().optional().meta({ description: "Its workers run on hosts with this label." }),
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
  scalerValue: z.int().min(1).meta({ description: "Seconds a job can wait, or jobs per worker." }),
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
  historyInputs: z.enum(HISTORY_INPUTS).meta({ description: "The jobs whose inputs stay in the history." }),
  createdAt: moment,
  fleet: fleet.optional(),
  workers: z.array(worker).optional().meta({ description: "With `includeWorkers`." }),
  warnings,
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
  templateId: TEMPLATE.spec.example.id,
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
  historyInputs: "failed",
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

export type EndpointAnswer = Answered<typeof ENDPOINT.spec.schema>;

/** What an endpoint's record shows besides the endpoint itself. */
interface EndpointFacts {
  /** Of its newest release. */
  readonly version: number | undefined;
  /** The times that apply, set or by default. */
  readonly times: JobTimes;
  readonly fleet: FleetView | undefined;
  /** Undefined if not requested. */
  readonly workers: readonly WorkerView[] | undefined;
  /** Of the call that has just written it. */
  readonly warnings: readonly Warning[];
}

/** An endpoint without members that can be large. "None" is an empty value if public clients require one. */
export function presentEndpoint(
  endpoint: Endpoint,
  { version, times, fleet, workers, warnings: given }: EndpointFacts,
): Shown<Omit<EndpointAnswer, "env" | "template">> {
  const { webhookHeaders } = endpoint;
  return {
    id: endpoint.id,
    name: endpoint.name,
    userId: endpoint.account,
    templateId: endpoint.templateId ?? "",
    gpuCount: endpoint.gpuCount,
    gpuTypeIds: endpoint.gpuTypeIds,
    vcpuCount: endpoint.vcpuCount,
    shmSizeInMb: endpoint.shmSizeInMb,
    hostLabel: endpoint.hostLabel,
    computeType: endpoint.computeType,
    dataCenterIds: endpoint.dataCenterIds,
    cpuFlavorIds: endpoint.cpuFlavorIds,
    instanceIds: endpoint.instanceIds,
    allowedCudaVersions: endpoint.allowedCudaVersions,
    minCudaVersion: endpoint.minCudaVersion,
    flashboot: endpoint.flashboot,
    workersMin: endpoint.workersMin,
    workersMax: endpoint.workersMax,
    idleTimeout: endpoint.idleTimeout,
    historyInputs: endpoint.historyInputs,
    scalerType: endpoint.scalerType,
    scalerValue: endpoint.scalerValue,
    releaseSurge: endpoint.releaseSurge,
    releasePace: endpoint.releasePace,
    isPaused: endpoint.isPaused,
    rateLimits: endpoint.rateLimits,
    maxQueuedJobs: endpoint.maxQueuedJobs,
    maxQueuedBytes: endpoint.maxQueuedBytes,
    version: version ?? 0,
    executionTimeoutMs: times.executionTimeoutMs,
    ttlMs: times.ttlMs,
    runRetentionMs: times.runRetentionMs,
    runsyncRetentionMs: times.runsyncRetentionMs,
    webhookRetries: endpoint.webhookRetries ?? WEBHOOK_RETRIES,
    // Their values are secrets.
    webhookHeaders: webhookHeaders && Object.fromEntries(webhookHeaders.names.map((name) => [name, HIDDEN])),
    createdAt: dateText(endpoint.createdAt),
    fleet: fleet && presentFleet(fleet),
    workers: workers?.map(presentWorker),
    warnings: given.length === 0 ? undefined : given,
  };
}
