import { readFileSync, writeFileSync } from "node:fs";

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
