import { errorCode } from "../../domain/errors.ts";

/**
 * Sends a signal to every process of the group. Ignores a group that is gone; some systems answer EPERM for
 * it.
 */
export function killGroup(group: number, signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!["ESRCH", "EPERM"].includes(errorCode(error))) throw error;
  }
}
