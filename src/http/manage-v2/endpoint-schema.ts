import { z } from "zod";
import { type Endpoint, SCALER_TYPES } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { EXECUTION_TIMEOUT } from "../../domain/policy.ts";
import type { EndpointChanges } from "../../engine/records/endpoints.ts";
import { ANY_POOL, FLASHBOOT } from "../answers/v2-endpoint.ts";
import { IDLE_SECONDS, MOST_CORES, MOST_GPUS, scalerValue, workers } from "../manage/endpoint-schema.ts";
import { names } from "../manage/placement-fields.ts";
import { recordName, text } from "../manage/text-fields.ts";
import { CONTAINER_FIELDS, cudaVersion } from "./container-schema.ts";

/** Defaults of the public API v2 that differ from those of `/v1`. */
const DEFAULTS = { idleTimeout: 10, timeout: 300_000 };

const NO_BALANCERS = "must be QUEUE: load balancers are not supported";
const NO_EXCLUSIONS = "is not supported, because each pool is one type of GPU; leave the pool out";
const NO_VOLUMES = "network volumes are not supported; leave it out";

const gpu = z.strictObject({
  pools: names().min(1),
  excludedTypes: z.array(z.string()).max(0, NO_EXCLUSIONS).optional(),
  count: z.int().min(1).max(MOST_GPUS).optional(),
  allowedCudaVersions: z.array(cudaVersion).max(100).optional(),
  minCudaVersion: z
    .string()
    .regex(/^([0-9]{1,4}\.[0-9]{1,4})?$/, "must be a version such as 12.4, or empty")
    .optional(),
});

const cpu = z
  .array(z.strictObject({ id: text(191, 1), vcpuCount: z.int().min(1).max(MOST_CORES) }))
  .min(1)
  .max(100);

const scaling = z.strictObject({
  type: z.enum(SCALER_TYPES),
  queueDelay: scalerValue.optional(),
  requestCount: scalerValue.optional(),
});

const FIELDS = {
  ...CONTAINER_FIELDS,
  templateId: text(128, 1).optional(),
  cpu: cpu.optional(),
  workers: z
    .strictObject({
      min: workers.optional(),
      max: workers.optional(),
      idleTimeout: z.int().min(IDLE_SECONDS.min).max(IDLE_SECONDS.max).optional(),
    })
    .optional(),
  dataCenterIds: names().optional(),
  networkVolumes: z.array(z.string()).max(0, NO_VOLUMES).optional(),
  timeout: z.int().min(EXECUTION_TIMEOUT.min).max(EXECUTION_TIMEOUT.max).optional(),
  flashboot: z.enum(FLASHBOOT).optional(),
};

/** What no schema says: how members go together. */
interface Together {
  readonly cpu?: z.output<typeof cpu> | undefined;
  readonly gpu?: object | undefined;
  readonly scaling?: z.output<typeof scaling> | undefined;
}

const CPU_AND_GPU = { path: ["cpu"], message: "cannot be combined with gpu" };
const ONE_COUNT = { path: ["cpu"], message: "must have the same vcpuCount in each element" };
const ONE_RULE = {
  path: ["scaling"],
  message: "must have queueDelay with QUEUE_DELAY, or requestCount with REQUEST_COUNT",
};

const hasOneFamily = (given: Together): boolean => given.cpu === undefined || given.gpu === undefined;
const hasOneCount = (given: Together): boolean =>
  new Set(given.cpu?.map(({ vcpuCount }) => vcpuCount)).size <= 1;
const hasOneRule = ({ scaling: rule }: Together): boolean =>
  rule === undefined ||
  ((rule.queueDelay !== undefined) === (rule.type === "QUEUE_DELAY") &&
    (rule.requestCount !== undefined) === (rule.type === "REQUEST_COUNT"));

export const CREATE_V2_ENDPOINT = z
  .strictObject({
    ...FIELDS,
    name: recordName,
    type: z.enum(["QUEUE"], NO_BALANCERS),
    scaling,
    gpu: gpu.optional(),
  })
  .refine((given) => given.image !== undefined || given.templateId !== undefined, {
    path: ["image"],
    message: "is required without a templateId",
  })
  .refine(hasOneFamily, CPU_AND_GPU)
  .refine(hasOneCount, ONE_COUNT)
  .refine(hasOneRule, ONE_RULE);

export const UPDATE_V2_ENDPOINT = z
  .strictObject({
    ...FIELDS,
    name: recordName.optional(),
    scaling: scaling.optional(),
    gpu: gpu.partial({ pools: true }).optional(),
  })
  .refine(hasOneFamily, CPU_AND_GPU)
  .refine(hasOneCount, ONE_COUNT)
  .refine(hasOneRule, ONE_RULE);

type Creation = z.output<typeof CREATE_V2_ENDPOINT>;
type Changes = z.output<typeof UPDATE_V2_ENDPOINT>;

/** The members of a new endpoint under the names of our records, without those of its container. */
export function creationIn(given: Creation): EndpointChanges {
  const { workers: wish, timeout = DEFAULTS.timeout } = given;
  const filled = { ...given, timeout, workers: { idleTimeout: DEFAULTS.idleTimeout, ...wish } };
  return fieldsIn(filled, { computeType: "GPU", gpuCount: undefined, gpuTypeIds: [] });
}

/** The same for changes. Throws INVALID_FIELD for GPUs of a CPU endpoint, and for the reverse. */
export function changesIn(given: Changes, present: Endpoint): EndpointChanges {
  const usesGpus = present.gpuCount !== undefined || present.gpuTypeIds.length > 0;
  if (given.gpu !== undefined && present.computeType === "CPU") throw fixedCompute("gpu", "CPUs");
  if (given.cpu !== undefined && usesGpus) throw fixedCompute("cpu", "GPUs");
  return fieldsIn(given, present);
}

function fixedCompute(member: string, what: string): ForebayError {
  return new ForebayError(
    "INVALID_FIELD",
    `${member}: the endpoint was created with ${what}, and this cannot change. Create another endpoint.`,
  );
}

function fieldsIn(
  given: Changes,
  present: Pick<Endpoint, "computeType" | "gpuCount" | "gpuTypeIds">,
): EndpointChanges {
  const { scaling: rule, flashboot, workers: wish } = given;
  return {
    name: given.name,
    templateId: given.templateId,
    env: given.env,
    dataCenterIds: given.dataCenterIds,
    executionTimeoutMs: given.timeout,
    flashboot: flashboot && flashboot !== "OFF",
    workersMin: wish?.min,
    workersMax: wish?.max,
    idleTimeout: wish?.idleTimeout,
    scalerType: rule?.type,
    scalerValue: rule?.queueDelay ?? rule?.requestCount,
    computeType: given.cpu === undefined ? undefined : "CPU",
    vcpuCount: given.cpu?.[0]?.vcpuCount,
    cpuFlavorIds: given.cpu?.map(({ id }) => id),
    ...gpusIn(given.gpu, present),
  };
}

/** A request for GPUs without a number asks for one. */
function gpusIn(
  wish: Changes["gpu"],
  { gpuCount }: Pick<Endpoint, "gpuCount">,
): Pick<EndpointChanges, "gpuCount" | "gpuTypeIds" | "allowedCudaVersions" | "minCudaVersion"> {
  if (wish === undefined) return {};
  const { pools, count = gpuCount ?? 1, allowedCudaVersions, minCudaVersion } = wish;
  // Any GPU, or one of these types: that is any.
  const gpuTypeIds = pools?.includes(ANY_POOL) ? [] : pools;
  return { gpuCount: count, gpuTypeIds, allowedCudaVersions, minCudaVersion };
}
