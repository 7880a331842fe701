import type { Endpoint } from "../../domain/endpoint.ts";
import type { LastExit } from "../../domain/fleet-report.ts";
import type { JobTimes } from "../../domain/job-times.ts";
import { HIDDEN, WEBHOOK_RETRIES } from "../../domain/webhook.ts";
import type { Engine } from "../../engine/engine.ts";
import type { WorkerView } from "../../engine/endpoint-workers.ts";
import { type FleetView, fleetOf } from "../../engine/fleet-of.ts";
import { jobTimes } from "../../engine/job-times.ts";
import { findShownTemplate, type ShownTemplate } from "../../engine/records/templates.ts";
import { openEnvText, readableEnv } from "../../engine/records/sealed-env.ts";
import type { Dialect } from "../call.ts";
import { dateText } from "../manage/date-text.ts";
import type { Part } from "../reply.ts";
import { objectParts } from "./object-parts.ts";
import { templateParts } from "./template.ts";
import { presentWorker } from "./worker.ts";

/** What comes with a record when it is asked for. */
export interface Included {
  readonly template: boolean;
  /** How long the workers of a template have run (`runtimes`). */
  readonly runtime: (template: string) => number;
  /** Undefined: not asked for. */
  readonly workers: readonly WorkerView[] | undefined;
  /** That of the template. */
  readonly dialect: Dialect;
}

/** The record as JSON. */
export function endpointParts(engine: Engine, endpoint: Endpoint, included?: Included): Part[] {
  return endpointRecord(engine, endpoint, included)();
}

/**
 * Makes the record as JSON: the same each time, as it is now. Its times are those that hold, whoever has said
 * them; "none" is an empty value where public clients demand one. What can be large of it, `env` and the
 * template, is opened each time, so that whoever keeps the function keeps none of it.
 */
export function endpointRecord(engine: Engine, endpoint: Endpoint, included?: Included): () => Part[] {
  const { webhookHeaders } = endpoint;
  const template = included?.template ? templateOf(engine, endpoint, included.runtime) : undefined;
  const shown = {
    ...presentSettings(endpoint),
    // Strict public clients demand one.
    version: engine.configuration.releases(endpoint.id)[0]?.number ?? 0,
    ...presentTimes(jobTimes(engine, endpoint.id)),
    webhookRetries: endpoint.webhookRetries ?? WEBHOOK_RETRIES,
    // Their values are secrets.
    webhookHeaders: webhookHeaders && Object.fromEntries(webhookHeaders.names.map((name) => [name, HIDDEN])),
    createdAt: dateText(endpoint.createdAt),
    fleet: presentFleet(fleetOf(engine, endpoint.id)),
    workers: included?.workers?.map(presentWorker),
  };
  return () =>
    objectParts(shown, {
      env: [readableEnv(engine, `endpoint ${endpoint.id}`, () => openEnvText(engine, endpoint))],
      ...(template && { template: templateParts(template, included?.dialect ?? "spec") }),
    });
}

/** What the record says of itself and shows as it is. */
function presentSettings(endpoint: Endpoint): object {
  return {
    id: endpoint.id,
    name: endpoint.name,
    userId: endpoint.account,
    templateId: endpoint.templateId ?? "",
    gpuCount: endpoint.gpuCount,
    gpuTypeIds: endpoint.gpuTypeIds,
    vcpuCount: endpoint.vcpuCount,
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
    scalerType: endpoint.scalerType,
    scalerValue: endpoint.scalerValue,
    releaseSurge: endpoint.releaseSurge,
    releasePace: endpoint.releasePace,
    isPaused: endpoint.isPaused,
    rateLimits: endpoint.rateLimits,
    maxQueuedJobs: endpoint.maxQueuedJobs,
    maxQueuedBytes: endpoint.maxQueuedBytes,
  };
}

function presentTimes(times: JobTimes): object {
  const { executionTimeoutMs, ttlMs, runRetentionMs, runsyncRetentionMs } = times;
  return { executionTimeoutMs, ttlMs, runRetentionMs, runsyncRetentionMs };
}

/** Undefined where there is none, and where it is another account's and public no longer. */
function templateOf(
  engine: Engine,
  { account, templateId = "" }: Endpoint,
  runtime: Included["runtime"],
): ShownTemplate | undefined {
  return findShownTemplate(engine, { account, id: templateId, runtime });
}

function presentFleet(fleet: FleetView | undefined): object | undefined {
  if (fleet === undefined) return undefined;
  const { state, reason, nextStartAt, lastExit, coldStart } = fleet;
  return {
    state,
    reason,
    nextStartAt: nextStartAt === undefined ? undefined : dateText(nextStartAt),
    lastExit: lastExit && presentExit(lastExit),
    coldStartMs: coldStart === undefined ? undefined : Math.round(coldStart),
  };
}

function presentExit({ worker, how, at, lastLines }: LastExit): object {
  return { worker, how, at: dateText(at), lastLines };
}
