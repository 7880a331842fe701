import process from "node:process";
import type { WorkerLog } from "./log.ts";
import type { Protocol } from "./protocol.ts";

/**
 * A terminal and the launcher may each send the same signal; the second one within this time is ignored, ms.
 */
const SAME_SIGNAL = 300;

/**
 * The first SIGTERM or SIGINT drains the worker, the second one stops its jobs, the third one has its default
 * effect. Returns a function that removes the listeners.
 */
export function obeySignals(protocol: Protocol, log: WorkerLog): () => void {
  let drainedAt: number | undefined;
  const onSignal = (): void => {
    if (drainedAt === undefined) {
      drainedAt = performance.now();
      log.info("takes no more jobs, and exits when its jobs have ended; a second signal stops them");
      protocol.drain();
    } else if (performance.now() - drainedAt > SAME_SIGNAL) {
      stopListening();
      log.info("stops its jobs");
      protocol.stopJobs("the worker is being ended");
    }
  };
  const stopListening = (): void => {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return stopListening;
}
