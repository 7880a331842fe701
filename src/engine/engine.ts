import type { Meters } from "../domain/meters.ts";
import type { ColdStartNotes } from "./cold-starts.ts";
import type { Exchanging } from "./exchange.ts";
import type { Readings } from "./follow-reading.ts";
import type { WaitSight } from "./why-waits.ts";
import type { EndpointDeletion } from "./records/delete-endpoint.ts";
import type { KeyUses } from "./records/key-uses.ts";
import type { Templates } from "./records/templates.ts";
import type { Retrying } from "./retry.ts";
import type { KeyRotating } from "./rotate-keys.ts";
import type { Intake } from "./submit.ts";
import type { Following } from "./wake.ts";
import type { LogAccess } from "./worker-logs.ts";
import type { Retirement } from "./worker-gone.ts";

/**
 * What all verbs together need: one object for each server, built by create-engine.ts. A verb takes a
 * narrower interface. In this folder only create-engine.ts imports this one; elsewhere those that call many
 * verbs do.
 */
export interface Engine
  extends
    Intake,
    Exchanging,
    Following,
    Retrying,
    Retirement,
    ColdStartNotes,
    WaitSight,
    Readings,
    LogAccess,
    Templates,
    EndpointDeletion,
    KeyUses,
    KeyRotating {
  /** The counters of this server. */
  readonly meters: Meters;
  /** Why this address can never be called, in one sentence; undefined if it can. */
  readonly webhookRefusal: (address: string) => string | undefined;
  isStopping: boolean;
}
