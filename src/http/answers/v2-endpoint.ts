import { z } from "zod";
import type { Endpoint } from "../../domain/endpoint.ts";
import type { JobTimes } from "../../domain/job-times.ts";
import { joinedArgs, type Template } from "../../domain/template.ts";
import { type Answered, count, dateText, id, moment, type Shown, type Warning, warnings } from "./members.ts";

/** What stands in `gpu.pools` for any GPU. */
export const ANY_POOL = "ANY";

export const FLASHBOOT = ["OFF", "FLASHBOOT", "PRIORITY_FLASHBOOT"] as const;

const texts = z.array(z.string());
const NO_EFFECT = { description: "As it was sent; it has no effect." };

/** What a container is started from, in the shape of v2. */
export const V2_CONTAINER = {
  image: z.string().optional(),
  args: z.string().optional().meta({ description: "The command, quoted as for a shell." }),
  disk: z.int().min(0).optional().meta({ description: "GB." }),
  ports: texts.optional(),
  registry: z.string().nullable().optional().meta({ description: "The id of a registry login." }),
};

const url = z.string();

const endpoint = z
  .strictObject({
    id,
    name: z.string(),
    type: z.enum(["QUEUE"]),
    ...V2_CONTAINER,
    env: z
      .record(z.string(), z.string())
      .meta({ description: "The variables of the endpoint, without those of its template." }),
    templateId: id.optional().meta({ description: "The template, unless it is the endpoint's own." }),
    requestUrls: z.strictObject({
      run: url,
      runSync: url,
      status: url,
      stream: url,
      cancel: url,
      retry: url,
      purgeQueue: url,
      health: url,
    }),
    gpu: z
      .strictObject({
        pools: texts.min(1).meta({ description: `Types of GPUs; \`${ANY_POOL}\`: any.` }),
        count: z.int().min(1),
        allowedCudaVersions: texts.meta(NO_EFFECT),
        minCudaVersion: z.string().nullable().meta(NO_EFFECT),
      })
      .nullable()
      .meta({ description: "Null: its workers get no GPU." }),
    cpu: z
      .array(z.strictObject({ id: z.string(), vcpuCount: z.int().min(1), memory: z.int().min(1) }))
      .min(1)
      .optional()
      .meta({ description: "Cores of each container at most; `memory` is in GB." }),
    workers: z.strictObject({ min: count, max: count, idleTimeout: z.int().min(1) }),
    scaling: z.strictObject({
      type: z.enum(["QUEUE_DELAY", "REQUEST_COUNT"]),
      queueDelay: z.int().min(1).optional().meta({ description: "Seconds." }),
      requestCount: z.int().min(1).optional().meta({ description: "Jobs for each worker." }),
    }),
    dataCenterIds: texts.meta(NO_EFFECT),
    networkVolumes: texts.max(0),
    timeout: count.meta({ description: "Execution timeout, ms." }),
    flashboot: z.enum(FLASHBOOT).meta(NO_EFFECT),
    createdAt: moment,
    warnings,
  })
  .meta({ id: "V2Endpoint", description: "An endpoint in the shape of v2." });

const BASE = "http://127.0.0.1:8000/v2/e3n8v5c1wz";

export const V2_ENDPOINT = {
  schema: endpoint,
  example: {
    id: "e3n8v5c1wz",
    name: "chat",
    type: "QUEUE",
    image: "registry.example.com/team/chat:1.2",
    args: "python handler.py",
    disk: 50,
    ports: [],
    registry: null,
    env: { MODEL: "large" },
    requestUrls: {
      run: `${BASE}/run`,
      runSync: `${BASE}/runsync`,
      status: `${BASE}/status/{job_id}`,
      stream: `${BASE}/stream/{job_id}`,
      cancel: `${BASE}/cancel/{job_id}`,
      retry: `${BASE}/retry/{job_id}`,
      purgeQueue: `${BASE}/purge-queue`,
      health: `${BASE}/health`,
    },
    gpu: null,
    cpu: [{ id: "cpu", vcpuCount: 4, memory: 8 }],
    workers: { min: 0, max: 3, idleTimeout: 10 },
    scaling: { type: "QUEUE_DELAY", queueDelay: 4 },
    dataCenterIds: [],
    networkVolumes: [],
    timeout: 300_000,
    flashboot: "OFF",
    createdAt: "2026-08-01T12:00:00.000Z",
  },
};

export const V2_ENDPOINTS = {
  schema: z.strictObject({ endpoints: z.array(endpoint) }),
  example: { endpoints: [V2_ENDPOINT.example] },
};

export type V2EndpointAnswer = Answered<typeof endpoint>;

/** What an endpoint's record shows besides the endpoint itself. */
export interface V2EndpointFacts {
  /** What its workers start from; undefined if there is none, or the account no longer sees it. */
  readonly template: Omit<Template, "env"> | undefined;
  /** Whether the template is the endpoint's own. */
  readonly ownsTemplate: boolean;
  readonly times: JobTimes;
  /** The address of its queue, such as `https://server/v2/<id>`. */
  readonly queueUrl: string;
  /** GB that come with so many cores. */
  readonly memoryFor: (cores: number) => number;
  readonly warnings: readonly Warning[];
}

/** An endpoint in the shape of v2, without its variables. */
export function presentV2Endpoint(
  shown: Endpoint,
  { template, ownsTemplate, times, queueUrl, memoryFor, warnings: given }: V2EndpointFacts,
): Shown<Omit<V2EndpointAnswer, "env">> {
  const { scalerType: type, scalerValue, workersMin, workersMax, idleTimeout } = shown;
  return {
    id: shown.id,
    name: shown.name,
    type: "QUEUE",
    ...presentContainer(template),
    templateId: ownsTemplate ? undefined : shown.templateId,
    requestUrls: requestUrls(queueUrl),
    gpu: presentGpu(shown),
    cpu: presentCpu(shown, memoryFor),
    workers: { min: workersMin, max: workersMax, idleTimeout },
    scaling: type === "QUEUE_DELAY" ? { type, queueDelay: scalerValue } : { type, requestCount: scalerValue },
    dataCenterIds: shown.dataCenterIds,
    networkVolumes: [],
    timeout: times.executionTimeoutMs,
    flashboot: shown.flashboot ? "FLASHBOOT" : "OFF",
    createdAt: dateText(shown.createdAt),
    warnings: given.length === 0 ? undefined : given,
  };
}

/** What a container is started from; all undefined without a template. */
export function presentContainer(template: Omit<Template, "env"> | undefined) {
  return {
    image: template?.imageName,
    args: template && joinedArgs(template.dockerStartCmd),
    disk: template?.containerDiskInGb,
    ports: template?.ports,
    registry: template && (template.containerRegistryAuthId || null),
  };
}

function presentGpu(shown: Endpoint): V2EndpointAnswer["gpu"] {
  const { gpuTypeIds, gpuCount, allowedCudaVersions, minCudaVersion } = shown;
  if (gpuCount === undefined && gpuTypeIds.length === 0) return null;
  return {
    pools: gpuTypeIds.length === 0 ? [ANY_POOL] : gpuTypeIds,
    count: gpuCount ?? 1,
    allowedCudaVersions,
    minCudaVersion: minCudaVersion || null,
  };
}

/** The flavor of an endpoint that names none. */
export const CPU_FLAVOR = "cpu";

function presentCpu(
  { vcpuCount, cpuFlavorIds }: Endpoint,
  memoryFor: V2EndpointFacts["memoryFor"],
): V2EndpointAnswer["cpu"] {
  if (vcpuCount === undefined) return undefined;
  const flavors = cpuFlavorIds.length === 0 ? [CPU_FLAVOR] : cpuFlavorIds;
  return flavors.map((flavor) => ({ id: flavor, vcpuCount, memory: memoryFor(vcpuCount) }));
}

function requestUrls(base: string): V2EndpointAnswer["requestUrls"] {
  return {
    run: `${base}/run`,
    runSync: `${base}/runsync`,
    status: `${base}/status/{job_id}`,
    stream: `${base}/stream/{job_id}`,
    cancel: `${base}/cancel/{job_id}`,
    retry: `${base}/retry/{job_id}`,
    purgeQueue: `${base}/purge-queue`,
    health: `${base}/health`,
  };
}
