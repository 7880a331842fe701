import { type ChildProcess, spawn } from "node:child_process";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { SmiAnswer } from "./nvidia-smi-output.ts";

/** Runs `nvidia-smi` with these arguments, on this machine or elsewhere. Never throws. */
export type SmiRun = (args: readonly string[]) => Promise<SmiOutcome>;

/** What it printed, or why it did not run, in a sentence. `isAbsent`: the machine has no such program. */
export type SmiOutcome =
  { readonly answer: SmiAnswer } | { readonly fault: string; readonly isAbsent: boolean };

/**
 * How long `nvidia-smi` may take, ms. Without a daemon that keeps the driver loaded, it takes some seconds on
 * a machine with eight cards.
 */
export const SMI_PATIENCE = 10_000;

/** More than `nvidia-smi` prints for any machine, in characters. */
const MOST_OUTPUT = 1_000_000;

/** The fault of a run that took too long. */
export const SMI_LATE = `nvidia-smi did not answer within ${SMI_PATIENCE / 1_000} s.`;

/** Runs the program of this machine, once at a time. */
export function ownNvidiaSmi(clock: Clock, program = "nvidia-smi"): SmiRun {
  /** A run that did not end in time. A program that waits for a broken driver cannot even be killed. */
  let hanging: ChildProcess | undefined;
  return async (args) => {
    // Otherwise each look would leave one more process behind.
    if (hanging !== undefined) return failed("nvidia-smi hangs: an earlier run of it has not ended.");
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    hanging = child;
    const isOver = (): void => void (hanging = undefined);
    child.on("close", isOver);
    if (child.pid === undefined) child.on("error", isOver);
    return await outcomeOf(child, clock);
  };
}

function failed(fault: string): SmiOutcome {
  return { fault, isAbsent: false };
}

/** Kills the program if it takes too long, and does not wait for its end then. */
function outcomeOf(child: ChildProcess, clock: Clock): Promise<SmiOutcome> {
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  return new Promise((resolve) => {
    const cancel = clock.after(SMI_PATIENCE, () => {
      child.kill("SIGKILL");
      resolve(failed(SMI_LATE));
    });
    child.on("error", (error) => {
      cancel();
      const code = errorCode(error);
      const fault = `nvidia-smi could not be started: ${code}.`;
      resolve({ fault, isAbsent: code === "ENOENT" });
    });
    child.on("close", (exitCode) => {
      cancel();
      resolve({ answer: { stdout: stdout(), stderr: stderr(), exitCode: exitCode ?? undefined } });
    });
  });
}

function collect(stream: ChildProcess["stdout"]): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(0, MOST_OUTPUT);
  });
  return () => text;
}
