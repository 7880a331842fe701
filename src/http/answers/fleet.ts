import { z } from "zod";
import type { Access } from "../../domain/account.ts";
import { FLEET_STATES, type FleetView, type LastExit } from "../../domain/fleet-report.ts";
import { covers } from "../../domain/scope.ts";
import { WAIT_CODES, type WaitReason } from "../../domain/wait-reason.ts";
import { type Answered, dateText, id, moment, type Shown, span } from "./members.ts";

/** The workers that Forebay starts for an endpoint (docs/scaling.md). */
export const lastExit = z.strictObject({
  worker: id.optional(),
  how: z.string(),
  at: moment,
  lastLines: z.array(z.string()),
});

export const fleet = z
  .strictObject({
    state: z.enum(FLEET_STATES),
    reason: z.string().optional().meta({ description: "Why jobs wait." }),
    nextStartAt: moment.optional(),
    lastExit: lastExit.optional().meta({ description: "The last worker that exited or could not start." }),
    coldStartMs: span.optional(),
  })
  .meta({ id: "Fleet", description: "The state of the workers that Forebay starts for the endpoint." });

export const waitReason = z
  .strictObject({
    code: z.enum(WAIT_CODES),
    message: z.string(),
    command: z.string().optional().meta({ description: "A command of `forebay` that helps." }),
    lastLines: z.array(z.string()).optional().meta({
      description: "The last lines that a failed worker printed, for keys with the scope `manage`.",
    }),
  })
  .meta({ id: "WaitReason", description: "Why jobs wait, and what can be done." });

type WaitReasonAnswer = Answered<typeof waitReason>;
type LastExitAnswer = Answered<typeof lastExit>;
type FleetAnswer = Answered<typeof fleet>;

export function presentFleet(fleet: FleetView): Shown<FleetAnswer> {
  const { state, reason, nextStartAt, lastExit, coldStart } = fleet;
  return {
    state,
    reason,
    nextStartAt: dateText(nextStartAt),
    lastExit: lastExit && presentExit(lastExit),
    coldStartMs: coldStart === undefined ? undefined : Math.round(coldStart),
  };
}

export function presentExit({ worker, how, at, lastLines }: LastExit): Shown<LastExitAnswer> {
  return { worker, how, at: dateText(at), lastLines };
}

/** What workers print is only for keys that can read their logs. */
export function presentReason(
  { code, message, command, lastLines }: WaitReason,
  { scopes }: Access,
): Shown<WaitReasonAnswer> {
  return { code, message, command, lastLines: covers(scopes, "manage") ? lastLines : undefined };
}
