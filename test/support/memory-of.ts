import { readFileSync, writeFileSync } from "node:fs";
import { processesWith } from "./processes.ts";

/**
 * Id of the process that has the most memory of those with a variable that begins like this: the server, and
 * not its launcher.
 */
export function largestWith(variable: string): number {
  const [pid] = processesWith(variable).toSorted((a, b) => memoryOf(b) - memoryOf(a));
  if (pid === undefined) throw new Error(`no process has ${variable}`);
  return pid;
}

/** Resident memory of a process, MB. */
export function memoryOf(pid: number): number {
  return kilobytes(pid, "VmRSS") / 1_024;
}

/** The most that it has had since `forgetPeak`, MB. */
export function peakOf(pid: number): number {
  return kilobytes(pid, "VmHWM") / 1_024;
}

/** From now on the peak is counted anew (proc(5), clear_refs). */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function kilobytes(pid: number, name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? 0);
}
