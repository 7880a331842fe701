import type { ShownJob } from "../domain/delivery.ts";
import type { Engine } from "../engine/engine.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { callDuties } from "./call-duties.ts";
import { deletedEndpointsDuty } from "./deleted-endpoints.ts";
import { deliverWebhooks, type WebhookDeliveries } from "./deliver-webhooks.ts";
import type { Duty } from "./duty.ts";
import { expireDuties } from "./leader-jobs.ts";
import { goneServersDuties } from "./gone-servers.ts";
import { oneServerAlone, type SharedDuties } from "./leadership.ts";
import { queuedBytesDuty } from "./queued-bytes.ts";
import { runDuties, type RunningDuties } from "./run-background-jobs.ts";
import { sharedDataDuties, type SharedActions } from "./server-jobs.ts";
import { forgetStatisticsDuty, statisticsDuty } from "./statistics.ts";

/** What the background jobs need from outside the engine. */
export interface BackgroundJobParts extends SharedActions {
  readonly outbound: Outbound;
  /** The record of a job as its webhook sends it. */
  readonly recordOf: (job: ShownJob) => Promise<Uint8Array>;
  /** More jobs of the leader. */
  readonly ofLeader: readonly Duty[];
  /** More jobs of each server. */
  readonly ofEach: (isLeader: () => boolean) => readonly Duty[];
  /** Called, again and again, while another server is the leader. */
  readonly onNotLeader: () => void;
}

export interface BackgroundJobs {
  readonly alone: SharedDuties;
  readonly webhooks: WebhookDeliveries;
  readonly duties: RunningDuties;
}

/** Starts all background jobs of a server. The simulation starts the same ones. */
export function startBackgroundJobs(engine: Engine, parts: BackgroundJobParts): BackgroundJobs {
  const ofLeader = [
    ...expireDuties(engine),
    ...goneServersDuties(engine),
    deletedEndpointsDuty(engine),
    forgetStatisticsDuty(engine),
    ...parts.ofLeader,
  ];
  const alone = oneServerAlone(engine, ofLeader, parts.onNotLeader);
  const webhooks = deliverWebhooks(engine, parts.outbound, parts.recordOf);
  const duties = runDuties(engine, [
    ...callDuties(engine),
    webhooks.duty,
    ...parts.ofEach(alone.isHeld),
    statisticsDuty(engine),
    queuedBytesDuty(engine),
    ...sharedDataDuties(engine, parts),
    ...alone.duties,
  ]);
  return { alone, webhooks, duties };
}
