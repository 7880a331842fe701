import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { unservedRefusal } from "./data-directory.ts";
import { type Compacted, compactStore } from "../store/compact-store.ts";
import { OperatorFault } from "../domain/operator-fault.ts";

/** Rewrites the database of the data directory. Throws one sentence when it cannot be done. */
export async function compactData({ data }: Pick<Config, "data">): Promise<Compacted> {
  const directory = resolve(data);
  const refusal = await unservedRefusal(directory);
  if (refusal !== undefined) throw new OperatorFault(refusal);
  return compactStore(directory);
}
