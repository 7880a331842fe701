import { availableParallelism, hostname, totalmem } from "node:os";

/** What a process worker without limits learns of this machine. */
export const MACHINE_VARIABLES: Readonly<Record<string, string>> = {
  RUNPOD_POD_HOSTNAME: hostname(),
  RUNPOD_CPU_COUNT: String(availableParallelism()),
  RUNPOD_MEM_GB: String(Math.floor(totalmem() / 2 ** 30)),
};
