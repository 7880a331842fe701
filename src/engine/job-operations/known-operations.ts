import type { Access } from "../../domain/account.ts";
import { ForebayError } from "../../domain/errors.ts";
import type { WithConfiguration } from "../records/configuration.ts";
import { putRecord, type RecordChanges } from "../records/put-record.ts";
import { ended, type JobOperation } from "./job-operation.ts";

/** The operations that a caller may see, the newest first: a bound key sees those on its endpoints only. */
export function jobOperations(engine: WithConfiguration, access: Access): JobOperation[] {
  return engine.configuration
    .all("jobOperation")
    .filter((operation) => isShown(operation, access))
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

/** Throws JOB_OPERATION_NOT_FOUND, also for an operation that the caller may not see. */
export function jobOperation(engine: WithConfiguration, access: Access, id: string): JobOperation {
  const operation = engine.configuration.get("jobOperation", id);
  if (operation !== undefined && isShown(operation, access)) return operation;
  throw new ForebayError("JOB_OPERATION_NOT_FOUND", `There is no job operation ${id}.`);
}

function isShown({ account, endpoints }: JobOperation, access: Access): boolean {
  const { endpoints: opened } = access;
  return account === access.account && (opened === undefined || endpoints.every((id) => opened.includes(id)));
}

/** How often a stop is tried while each try meets a change by the server that runs the operation. */
const TRIES = 20;

/** Stops an operation; one that has ended stays as it is. Throws JOB_OPERATION_NOT_FOUND. */
export async function stopJobOperation(
  engine: RecordChanges,
  access: Access,
  id: string,
): Promise<JobOperation> {
  for (let tries = 1; ; tries++) {
    const operation = jobOperation(engine, access, id);
    if (operation.state !== "RUNNING") return operation;
    const stopped = ended(operation, "CANCELLED", engine.clock.now());
    try {
      await putRecord(engine, "jobOperation", stopped);
      return stopped;
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

/** Another call or server has changed the operation. */
export function isConflict(error: unknown): boolean {
  return error instanceof ForebayError && error.code === "CHANGED_MEANWHILE";
}
