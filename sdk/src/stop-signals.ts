import process from "node:process";
import type { WorkerLog } from "./log.ts";
import type { Protocol } from "./protocol.ts";

/** A terminal and the program that started the worker may each pass on the same signal; ms. */
const SAME_SIGNAL = 300;

/**
 * The first SIGTERM or SIGINT drains the worker, a second one stops its jobs, a third one has its usual
 * effect. Returns what takes the listeners away.
 */
export function obeySignals(protocol: Protocol, log: WorkerLog): () => void {
  let drainedAt: number | undefined;
  const onSignal = (): void => {
    if (drainedAt === undefined) {
      drainedAt = performance.now();
      log.info("takes no more jobs, and ends when those that run have ended; a second signal stops them");
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
