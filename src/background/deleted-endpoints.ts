import type { Engine } from "../engine/engine.ts";
import { drainDeleted } from "../engine/records/delete-endpoint.ts";
import type { Duty } from "./duty.ts";

/** Nobody waits for it: who asked for the deletion was answered. ms. */
const INTERVAL = 500;

/** What is left of an endpoint that is being deleted goes when its jobs have ended. */
export function deletedEndpointsDuty(engine: Engine): Duty {
  return { name: "deleted endpoints", every: INTERVAL, run: () => drainDeleted(engine) };
}
