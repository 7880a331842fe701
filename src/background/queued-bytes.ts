import type { Engine } from "../engine/engine.ts";
import type { Duty } from "./duty.ts";

/** How long what has left the queue can still count, ms. */
const LOOK_INTERVAL = 1_000;

/** Each server keeps to the limits of what waits by the counters of all. */
export function queuedBytesDuty({ queuedBytes }: Engine): Duty {
  return { name: "queued bytes", every: LOOK_INTERVAL, run: () => queuedBytes.look() };
}
