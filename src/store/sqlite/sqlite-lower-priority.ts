import { setPriority } from "node:os";

/** As `nice -n 10`. */
const LATER = 10;

/**
 * The thread that calls this gets the processor after the others of its process. On Linux a priority belongs
 * to a thread, and process id 0 is the thread itself; elsewhere all threads share one, which stays.
 */
export function lowerPriority(): void {
  if (process.platform === "linux") setPriority(0, LATER);
}
