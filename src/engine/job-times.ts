import { kindOf } from "../domain/ids.ts";
import type { ChosenTimes } from "../domain/endpoint.ts";
import type { JobTimes } from "../domain/job-times.ts";
import { DEFAULT_POLICY } from "../domain/policy.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { WithDurations } from "./verb-needs.ts";

/** What says how long jobs may take and stay. */
export interface JobTimeSource extends WithConfiguration, WithDurations {}

/**
 * Execution timeout, TTL and retention for jobs of an endpoint that do not set them: those of the endpoint,
 * or else of the server.
 */
export function jobTimes({ configuration, durations }: JobTimeSource, endpoint: string): JobTimes {
  const chosen: Partial<ChosenTimes> = configuration.get("endpoint", endpoint) ?? {};
  return {
    executionTimeoutMs: chosen.executionTimeoutMs ?? DEFAULT_POLICY.executionTimeout,
    ttlMs: chosen.ttlMs ?? DEFAULT_POLICY.ttl,
    runRetentionMs: chosen.runRetentionMs ?? durations.runRetention,
    runsyncRetentionMs: chosen.runsyncRetentionMs ?? durations.runsyncRetention,
  };
}

/** How long the record of a job that ends now stays, ms, unless the job itself has longer. */
export function retentionNow(engine: JobTimeSource, endpoint: string, id: string): number {
  const { runRetentionMs, runsyncRetentionMs } = jobTimes(engine, endpoint);
  return kindOf(id) === "runsync" ? runsyncRetentionMs : runRetentionMs;
}
