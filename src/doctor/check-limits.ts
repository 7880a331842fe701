import { totalmem } from "node:os";
import type { Config } from "../config/config.ts";
import { checkProcesses } from "./check-processes.ts";
import { type Finding, ok, warn } from "./finding.ts";
import { memoryLimit, textOf } from "./memory-limit.ts";

const PART = "limits";
const MB = 1_048_576;

/** With fewer, a few thousand waiting clients and workers exhaust the limit. */
const FEW_FILES = 4_096;

/** What a server uses besides the bodies in flight, MB. */
const OWN = 256;

/** Checks the limits of the system for the server, open files and memory, and those of process workers. */
export async function checkLimits(config: Config): Promise<Finding[]> {
  return [...(await checkFiles()), await checkMemory(config.bodyBudget), await checkProcesses(config)];
}

async function checkFiles(): Promise<Finding[]> {
  const [, given = ""] = /^Max open files\s+(\S+)/m.exec(await textOf("/proc/self/limits")) ?? [];
  if (given === "") return [];
  const said = `up to ${given} files and connections can be open at once`;
  const isFew = given !== "unlimited" && Number(given) < FEW_FILES;
  return [
    isFew
      ? warn(PART, said, "Raise the limit: ulimit -n 65536, or LimitNOFILE= of the service.")
      : ok(PART, said),
  ];
}

async function checkMemory(bodyBudget: number): Promise<Finding> {
  const bytes = Math.min(await memoryLimit(), totalmem());
  // Bodies of clients, a quarter of that for bodies of workers, answers to clients, and answers to workers.
  const wanted = Math.ceil(bodyBudget * 1.75) + OWN;
  const use = `of which the server, with bodies and answers in flight, uses up to ${wanted}`;
  const said = `${Math.floor(bytes / MB)} MB of memory, ${use}`;
  return bytes < wanted * MB ? warn(PART, said, "Lower --body-budget-mb, or add memory.") : ok(PART, said);
}
