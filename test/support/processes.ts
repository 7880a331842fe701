import { errorCode } from "../../src/domain/errors.ts";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * Ids of the running processes that have a variable in their environment whose `NAME=value` begins like this.
 * Those that have ended and were not yet waited for have none.
 */
export function processesWith(variable: string): number[] {
  return processes().filter((pid) => environmentOf(pid).some((entry) => entry.startsWith(variable)));
}

/** Ids of the running processes whose working directory is this or below it, also when it was removed. */
export function processesIn(directory: string): number[] {
  return processes().filter((pid) => `${workingDirectoryOf(pid)}/`.startsWith(`${directory}/`));
}

/** Ids of the running processes whose command line, with a zero byte between the words, begins like this. */
export function processesRunning(command: string): number[] {
  return processes().filter((pid) => fileOf(pid, "cmdline").startsWith(command));
}

/** SIGKILL; it may have ended meanwhile. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number);
}

function workingDirectoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // it has ended meanwhile
  }
}

/** The `NAME=value` of a process; none if it has ended. */
export function environmentOf(pid: number): string[] {
  return fileOf(pid, "environ").split("\0");
}

function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}
