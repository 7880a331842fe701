import type { Config } from "../config/config.ts";
import { processLimits } from "../config/configured-docker.ts";
import { NoCgroup, ownCgroup } from "../fleet/process/own-cgroup.ts";
import { hasLimits } from "../fleet/process/worker-cgroup.ts";
import { fault, type Finding, ok } from "./finding.ts";

const PART = "limits";

/** Which limits of process workers hold. A server in another control group may be able to do more or less. */
export async function checkProcesses(config: Config, root = "/"): Promise<Finding> {
  const limits = processLimits(config);
  const refusal = await refusalOf(root);
  if (!hasLimits(limits)) {
    const could =
      refusal === undefined ? "cgroup v2 could enforce limits" : `limits cannot be enforced: ${refusal}`;
    return ok(
      PART,
      `process workers have no limits of memory and cores, and vcpuCount has no effect; ${could}`,
    );
  }
  const { memoryMb, cpus, pids } = limits;
  const shown = [
    ...(memoryMb > 0 ? [`${memoryMb} MB of memory`] : []),
    ...(cpus > 0 ? [`${cpus} cores`] : []),
    ...(pids > 0 ? [`${pids} processes`] : []),
  ].join(", ");
  if (refusal === undefined) return ok(PART, `each process worker has at most ${shown}, by cgroup v2`);
  const mend =
    "Run the server where it owns its control group, as docs/operate.md shows, or remove " +
    "--process-memory-mb, --process-cpus and --process-pids.";
  return fault(PART, `process workers cannot be limited to ${shown}: ${refusal}`, mend);
}

async function refusalOf(root: string): Promise<string | undefined> {
  try {
    await ownCgroup(root);
    return undefined;
  } catch (error) {
    if (error instanceof NoCgroup) return error.message;
    throw error;
  }
}
