import { DEFAULT_ACCOUNT } from "../../domain/account.ts";
import { type Endpoint, ENDPOINT_DEFAULTS } from "../../domain/endpoint.ts";
import { isReservedName } from "../../domain/endpoint-name.ts";
import { ForebayError } from "../../domain/errors.ts";
import { type Placement, PLACEMENT_DEFAULTS } from "../../domain/placement.ts";
import { TEMPLATE_DEFAULTS } from "../../domain/template.ts";
import { newRecordId } from "../digest.ts";
import { launchFrom, needsOf } from "../launch.ts";
import type { WithLimits } from "../verb-needs.ts";
import type { WithConfiguration } from "./configuration.ts";
import type { StoredTemplate } from "./record-bodies.ts";
import { changedMeanwhile, putRecord } from "./put-record.ts";
import { endpointOf, findEndpoint } from "./find-endpoint.ts";
import { makeRoomForReleases } from "./release-room.ts";
import { ensureRelease, type Releases } from "./releases.ts";
import { sealEnv } from "./sealed-env.ts";
import { createTemplate, type Templates, usableTemplateOf } from "./templates.ts";
import { sealHeaders } from "./webhook-headers.ts";

/** The members that can be changed at any time. Undefined leaves a member as it is; null is the default. */
export type EndpointChanges = {
  readonly [Name in Changeable]?: Endpoint[Name] | null | undefined;
} & {
  readonly name?: string | undefined;
  /** Null and "" mean no template: Forebay starts no workers. */
  readonly templateId?: string | null | undefined;
  readonly env?: Readonly<Record<string, string>> | null | undefined;
  readonly webhookHeaders?: Readonly<Record<string, string>> | null | undefined;
};

type Changeable = Exclude<
  keyof Endpoint,
  "id" | "account" | "name" | "templateId" | "sealedEnv" | "webhookHeaders" | "createdAt" | "deletedAt"
>;

/** The members of a new endpoint. Missing ones get their default; the default of the name is the id. */
export type NewEndpoint = EndpointChanges & { readonly id?: string | undefined };

/** Creates an endpoint. Throws NAME_TAKEN, TEMPLATE_NOT_FOUND, INVALID_FIELD, LIMIT_REACHED. */
export async function createEndpoint(
  engine: Releases,
  account: string,
  given: NewEndpoint,
): Promise<Endpoint> {
  const { id = newRecordId() } = given;
  const createdAt = engine.clock.now();
  const plain: Endpoint = { id, account, name: id, templateId: undefined, ...ENDPOINT_DEFAULTS, createdAt };
  // The default of workersMax is at least workersMin.
  const endpoint = changed(engine, plain, { ...given, workersMax: given.workersMax ?? null });
  refuseName(engine, endpoint);
  await makeRoomForReleases(engine, account, templateOf(engine, endpoint), 1);
  await putRecord(engine, "endpoint", endpoint);
  await ensureRelease(engine, endpoint.id);
  return endpoint;
}

/**
 * Changes the given members and leaves the others. Throws ENDPOINT_NOT_FOUND, TEMPLATE_NOT_FOUND, NAME_TAKEN,
 * INVALID_FIELD, LIMIT_REACHED, and CHANGED_MEANWHILE unless `version` is still that of the record.
 */
export async function updateEndpoint(
  engine: Releases,
  account: string,
  id: string,
  changes: EndpointChanges,
  version = engine.configuration.version("endpoint", id),
): Promise<Endpoint> {
  const present = endpointOf(engine, account, id);
  refuseIfChanged(engine, id, version);
  const endpoint = changed(engine, present, changes);
  // An endpoint keeps a name that is older than this rule.
  if (endpoint.name !== present.name) refuseName(engine, endpoint);
  if (beginsRelease(changes)) await makeRoomForReleases(engine, account, templateOf(engine, endpoint), 1);
  refuseIfChanged(engine, id, version);
  await putRecord(engine, "endpoint", endpoint);
  await ensureRelease(engine, endpoint.id);
  return endpoint;
}

/**
 * Creates an endpoint that runs the registered command of the same name, with one worker that always runs.
 * Throws NAME_TAKEN, and INVALID_FIELD if there is no such command.
 */
export async function createCommandEndpoint(engine: Templates, name: string): Promise<void> {
  const fields = { ...TEMPLATE_DEFAULTS, name, imageName: `process/${name}`, isServerless: true };
  const { id: templateId } = await createTemplate(engine, DEFAULT_ACCOUNT.id, fields);
  const limits = { workersMin: 1, workersMax: 1 };
  await createEndpoint(engine, DEFAULT_ACCOUNT.id, { id: name, name, templateId, ...limits });
}

/**
 * Refuses a name that cannot be used in paths. Throws INVALID_FIELD for a reserved name, and NAME_TAKEN for
 * the id of another endpoint.
 */
function refuseName(engine: WithConfiguration, { account, id, name }: Endpoint): void {
  if (isReservedName(name)) {
    throw new ForebayError(
      "INVALID_FIELD",
      `name: ${JSON.stringify(name)} is reserved for paths of the API. Choose another name.`,
    );
  }
  if (name === id || findEndpoint(engine, account, name) === undefined) return;
  throw new ForebayError("NAME_TAKEN", `name: ${name} is the id of another endpoint. Choose another name.`);
}

/** Throws CHANGED_MEANWHILE. */
function refuseIfChanged({ configuration }: WithConfiguration, id: string, version: number): void {
  if (configuration.version("endpoint", id) !== version) throw changedMeanwhile("endpoint", id);
}

function templateOf(
  { configuration }: WithConfiguration,
  { templateId = "" }: Endpoint,
): StoredTemplate | undefined {
  return configuration.get("template", templateId);
}

/** Whether the changes can begin a release. Others need no room. */
function beginsRelease({ templateId, env }: EndpointChanges): boolean {
  return templateId !== undefined || env !== undefined;
}

/**
 * The endpoint with the given changes. Throws INVALID_FIELD if they contradict each other, and
 * TEMPLATE_NOT_FOUND.
 */
function changed(engine: Releases, endpoint: Endpoint, given: EndpointChanges): Endpoint {
  const workersMin = choice(given.workersMin, endpoint.workersMin, ENDPOINT_DEFAULTS.workersMin);
  const usualMax = Math.max(ENDPOINT_DEFAULTS.workersMax, workersMin);
  const workersMax = choice(given.workersMax, endpoint.workersMax, usualMax);
  if (workersMin > workersMax) {
    throw new ForebayError(
      "INVALID_FIELD",
      "workersMin must not be greater than workersMax. Lower workersMin, or raise workersMax.",
    );
  }
  refuseAboveCeiling(engine, given.maxQueuedBytes);
  const next: Endpoint = {
    ...endpoint,
    ...changedPlacement(endpoint, given),
    name: given.name ?? endpoint.name,
    templateId: choice(given.templateId === "" ? null : given.templateId, endpoint.templateId, undefined),
    sealedEnv: choice(
      given.env && (sealEnv(engine, endpoint.id, given.env) ?? null),
      endpoint.sealedEnv,
      undefined,
    ),
    gpuCount: choice(given.gpuCount, endpoint.gpuCount, ENDPOINT_DEFAULTS.gpuCount),
    gpuTypeIds: choice(given.gpuTypeIds, endpoint.gpuTypeIds, ENDPOINT_DEFAULTS.gpuTypeIds),
    vcpuCount: choice(given.vcpuCount, endpoint.vcpuCount, ENDPOINT_DEFAULTS.vcpuCount),
    shmSizeInMb: choice(given.shmSizeInMb, endpoint.shmSizeInMb, ENDPOINT_DEFAULTS.shmSizeInMb),
    hostLabel: choice(given.hostLabel, endpoint.hostLabel, ENDPOINT_DEFAULTS.hostLabel),
    workersMin,
    workersMax,
    idleTimeout: choice(given.idleTimeout, endpoint.idleTimeout, ENDPOINT_DEFAULTS.idleTimeout),
    historyInputs: choice(given.historyInputs, endpoint.historyInputs, ENDPOINT_DEFAULTS.historyInputs),
    scalerType: choice(given.scalerType, endpoint.scalerType, ENDPOINT_DEFAULTS.scalerType),
    scalerValue: choice(given.scalerValue, endpoint.scalerValue, ENDPOINT_DEFAULTS.scalerValue),
    releaseSurge: choice(given.releaseSurge, endpoint.releaseSurge, ENDPOINT_DEFAULTS.releaseSurge),
    releasePace: choice(given.releasePace, endpoint.releasePace, undefined),
    isPaused: choice(given.isPaused, endpoint.isPaused, ENDPOINT_DEFAULTS.isPaused),
    executionTimeoutMs: choice(given.executionTimeoutMs, endpoint.executionTimeoutMs, undefined),
    ttlMs: choice(given.ttlMs, endpoint.ttlMs, undefined),
    runRetentionMs: choice(given.runRetentionMs, endpoint.runRetentionMs, undefined),
    runsyncRetentionMs: choice(given.runsyncRetentionMs, endpoint.runsyncRetentionMs, undefined),
    rateLimits: choice(given.rateLimits, endpoint.rateLimits, undefined),
    maxQueuedJobs: choice(given.maxQueuedJobs, endpoint.maxQueuedJobs, undefined),
    maxQueuedBytes: choice(given.maxQueuedBytes, endpoint.maxQueuedBytes, undefined),
    webhookRetries: choice(given.webhookRetries, endpoint.webhookRetries, undefined),
    webhookHeaders: choice(
      given.webhookHeaders && (sealHeaders(engine, endpoint.id, given.webhookHeaders) ?? null),
      endpoint.webhookHeaders,
      undefined,
    ),
  };
  if (given.templateId !== undefined || given.env !== undefined) refuseUnlessLaunchable(engine, next);
  if (changesNeeds(given)) refuseUnlessItFits(engine, next);
  return next;
}

/** The operator sets how much the server can store. */
function refuseAboveCeiling(engine: WithLimits, maxQueuedBytes: number | null | undefined): void {
  const ceiling = engine.limits.endpointQueuedBytes;
  if ((maxQueuedBytes ?? 0) <= ceiling) return;
  throw new ForebayError(
    "INVALID_FIELD",
    `maxQueuedBytes must be at most ${ceiling}. The operator of this server sets this limit with ` +
      "FOREBAY_ENDPOINT_QUEUED_MB.",
  );
}

/** Throws TEMPLATE_NOT_FOUND, and INVALID_FIELD for variables that the provider refuses. */
function refuseUnlessLaunchable(engine: Releases, endpoint: Endpoint): void {
  const { account, templateId } = endpoint;
  if (templateId === undefined) return;
  const { template } = launchFrom(engine, usableTemplateOf(engine, account, templateId), endpoint);
  const refusal = engine.starts.refusal(template);
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
}

/** Whether the changes can need another host. */
function changesNeeds(given: EndpointChanges): boolean {
  const { templateId, gpuCount, gpuTypeIds, vcpuCount, hostLabel } = given;
  return [templateId, gpuCount, gpuTypeIds, vcpuCount, hostLabel].some((change) => change !== undefined);
}

/** Throws INVALID_FIELD if no worker of the endpoint can ever start. */
function refuseUnlessItFits(engine: Releases, endpoint: Endpoint): void {
  // Other servers have machines of their own, of which this one knows nothing.
  if (engine.store.shared !== undefined) return;
  const template = templateOf(engine, endpoint);
  const refusal = template && engine.starts.neverFits(template.imageName, needsOf(endpoint));
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
}

type PlacementChanges = { readonly [Name in keyof Placement]?: Placement[Name] | null | undefined };

/** The placement with the given changes; null is the default. */
function changedPlacement(present: Placement, given: PlacementChanges): Placement {
  const plain: Placement = PLACEMENT_DEFAULTS;
  return {
    computeType: choice(given.computeType, present.computeType, plain.computeType),
    dataCenterIds: choice(given.dataCenterIds, present.dataCenterIds, plain.dataCenterIds),
    cpuFlavorIds: choice(given.cpuFlavorIds, present.cpuFlavorIds, plain.cpuFlavorIds),
    instanceIds: choice(given.instanceIds, present.instanceIds, plain.instanceIds),
    allowedCudaVersions: choice(
      given.allowedCudaVersions,
      present.allowedCudaVersions,
      plain.allowedCudaVersions,
    ),
    minCudaVersion: choice(given.minCudaVersion, present.minCudaVersion, plain.minCudaVersion),
    flashboot: choice(given.flashboot, present.flashboot, plain.flashboot),
  };
}

/** The new value of a member: undefined leaves it as it is, and null is the default. */
function choice<Value>(given: Value | null | undefined, present: Value, byDefault: Value): Value {
  return given === null ? byDefault : (given ?? present);
}
