import { ForebayError } from "../../domain/errors.ts";
import { newRecordId } from "../digest.ts";

import { putRecord, type RecordChanges } from "./put-record.ts";

/** The name of the deployment, made at its first start; all servers that share its data answer the same. */
export async function deploymentName(engine: RecordChanges): Promise<string> {
  const present = engine.configuration.get("deployment", "deployment");
  if (present !== undefined) return present.name;
  try {
    await putRecord(engine, "deployment", { id: "deployment", name: newRecordId() });
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
  }
  return deploymentName(engine);
}
