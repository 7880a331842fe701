import type { Engine } from "./engine.ts";

/**
 * From here on no job is taken in or handed out. Calls that wait are answered at once: those for jobs with
 * none, those for the end of a job with its state. What runs may still be reported.
 */
export function stopEngine(engine: Engine): void {
  engine.isStopping = true;
  engine.parkedTakes.stop();
  engine.waits.stop();
}
