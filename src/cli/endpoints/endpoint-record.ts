import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import { durationText } from "../terminal/duration-text.ts";
import { printRecord } from "../terminal/print.ts";

/** The state of its workers, in one word. */
export function stateOf({ isPaused, fleet }: EndpointAnswer): string {
  return isPaused ? "PAUSED" : (fleet?.state ?? "");
}

/** Prints an endpoint: its settings, and why its jobs wait. */
export function printEndpoint(isJson: boolean, endpoint: EndpointAnswer): void {
  const { fleet, gpuTypeIds, workersMin, workersMax, scalerType, scalerValue } = endpoint;
  printRecord(isJson, endpoint, {
    id: endpoint.id,
    name: endpoint.name,
    state: stateOf(endpoint),
    reason: fleet?.reason,
    "last exit": fleet?.lastExit && `${fleet.lastExit.how} (${fleet.lastExit.at})`,
    "cold start": timeText(fleet?.coldStartMs),
    template: endpoint.templateId,
    version: String(endpoint.version),
    env: pairsText(endpoint.env),
    workers: `${workersMin} to ${workersMax}`,
    "idle timeout": timeText(endpoint.idleTimeout * 1_000),
    scaler: `${scalerType} ${scalerValue}`,
    gpus: endpoint.gpuCount?.toString(),
    "gpu types": gpuTypeIds.join(", "),
    cores: endpoint.vcpuCount?.toString(),
    "shared memory": endpoint.shmSizeInMb === undefined ? undefined : `${endpoint.shmSizeInMb} MB`,
    "host label": endpoint.hostLabel,
    "release surge": String(endpoint.releaseSurge),
    "release pace": endpoint.releasePace?.toString(),
    "execution timeout": timeText(endpoint.executionTimeoutMs),
    ttl: timeText(endpoint.ttlMs),
    "run results": timeText(endpoint.runRetentionMs),
    "runsync results": timeText(endpoint.runsyncRetentionMs),
    "rate limits": endpoint.rateLimits && JSON.stringify(endpoint.rateLimits),
    "queued jobs": endpoint.maxQueuedJobs?.toString(),
    "queued bytes": endpoint.maxQueuedBytes?.toString(),
    "webhook retries": String(endpoint.webhookRetries),
    "webhook headers": pairsText(endpoint.webhookHeaders ?? {}),
    "inputs in the history": endpoint.historyInputs,
    created: endpoint.createdAt,
  });
}

/** `NAME=value`, separated by spaces. */
export function pairsText(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : durationText(ms);
}
