import type { ShownJob } from "../domain/delivery.ts";
import type { Engine } from "../engine/engine.ts";
import type { PolicyIn } from "../engine/job-operations/act-on-job.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { deliverWebhooks, type WebhookDeliveries } from "./deliver-webhooks.ts";
import { leaderJobs } from "./leader-jobs.ts";
import { type Leadership, leadership } from "./leadership.ts";
import { type BackgroundJob, runBackgroundJobs, type RunningJobs } from "./run-background-jobs.ts";
import { callJobs, counterJobs, historyJobs, sharedDataJobs, type SharedActions } from "./server-jobs.ts";

/** What the background jobs need from outside the engine. */
export interface BackgroundJobParts extends SharedActions {
  readonly outbound: Outbound;
  /** The record of a job as its webhook sends it. */
  readonly recordOf: (job: ShownJob) => Promise<Uint8Array>;
  /** The policy in the body of a submission that is stored. */
  readonly policyIn: PolicyIn;
  /** More jobs of the leader. */
  readonly ofLeader: readonly BackgroundJob[];
  /** More jobs of each server. */
  readonly ofEach: (isLeader: () => boolean) => readonly BackgroundJob[];
  /** Called again and again while another server is the leader. */
  readonly onNotLeader: () => void;
}

export interface BackgroundJobs {
  readonly leader: Leadership;
  readonly webhooks: WebhookDeliveries;
  readonly running: RunningJobs;
}

/** Starts all background jobs of a server. The simulation starts the same ones. */
export function startBackgroundJobs(engine: Engine, parts: BackgroundJobParts): BackgroundJobs {
  const leader = leadership(
    engine,
    [...leaderJobs(engine, parts.policyIn), ...parts.ofLeader],
    parts.onNotLeader,
  );
  const webhooks = deliverWebhooks(engine, parts.outbound, parts.recordOf);
  const running = runBackgroundJobs(engine, [
    ...callJobs(engine),
    webhooks.job,
    ...parts.ofEach(leader.isLeader),
    ...counterJobs(engine),
    ...historyJobs(engine),
    ...sharedDataJobs(engine, parts),
    ...leader.jobs,
  ]);
  return { leader, webhooks, running };
}
