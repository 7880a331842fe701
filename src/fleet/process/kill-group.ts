import { errorCode } from "../../domain/errors.ts";

/** A signal for every process of the group. One that is gone gets none; some systems say EPERM of it. */
export function killGroup(group: number, signal: "SIGKILL" | "SIGTERM" = "SIGKILL"): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!["ESRCH", "EPERM"].includes(errorCode(error))) throw error;
  }
}
