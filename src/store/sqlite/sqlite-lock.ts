import { errorCode } from "../../domain/errors.ts";
import { holdExclusively } from "./sqlite-driver.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/**
 * Holds a data directory for one server until the answer is called. The lock is that of a small database of
 * its own, in a transaction that never ends: it goes with the process, also when that is killed. Throws a
 * sentence that ends with `advice` when a server has it.
 */
export function lockDirectory(lockPath: string, directory: string, advice: string): () => void {
  try {
    return holdExclusively(lockPath);
  } catch (error) {
    if (errorCode(error) !== "SQLITE_BUSY") throw error;
    throw new OperatorFault(`another Forebay server is using the data directory ${directory}. ${advice}`, {
      cause: error,
    });
  }
}
