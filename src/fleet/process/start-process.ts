import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../../domain/clock.ts";
import type { OutputStream } from "../worker-output.ts";
import { killGroup } from "./kill-group.ts";

export interface ProcessStart {
  readonly argv: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The process writes a file of this name, its id and its start time before it becomes the program. */
  readonly markPrefix: string;
  /** Reads what it prints. */
  readonly onOutput: (stream: OutputStream, output: Readable) => void;
  readonly clock: Clock;
}

export interface StartedProcess {
  /** SIGTERM for the process, as a container gets it; what it started itself it has to tell. */
  terminate(): void;
  /** SIGKILL for the process and all it started. */
  kill(): void;
  /** How it ended. Whatever it had started in its group is killed by then, and all it printed is read. */
  readonly ended: Promise<string>;
}

/** The 22nd field of /proc/<pid>/stat is the start time; the name before it, `(sh)`, has no spaces. */
const SKIPPED = Array.from({ length: 21 }, () => "forebay_").join(" ");

/**
 * Runs before the program, in the process that becomes it: nothing of a worker runs before its mark is on the
 * disk, and nothing at all when the directory is gone. The mark is the name of the file, so it is there whole
 * or not at all. Where the system does not tell the start time, it is empty. What the shell adds to the
 * environment goes.
 */
const PREAMBLE = [
  `{ read -r ${SKIPPED} forebay_start forebay_ </proc/$$/stat; } 2>/dev/null`,
  ': >"$0.$$.$forebay_start" && unset PWD OLDPWD SHLVL forebay_ forebay_start && exec "$@"',
].join("; ");

/**
 * When a process that left the group has the pipes too: the last output is over when nothing has come for so
 * long, ms, or after so long altogether.
 */
const LAST_OUTPUT = 500;
const ALL_LAST_OUTPUT = 5_000;

/**
 * Starts a program as the head of a process group of its own. Throws what the system says when it refuses.
 */
export async function startProcess(start: ProcessStart): Promise<StartedProcess> {
  const child = spawnInGroup(start);
  const ended = new Promise<string>((resolve) => {
    child.on("exit", (code, signal) => {
      if (child.pid !== undefined) killGroup(child.pid);
      const end = (): void => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      // "close" alone would wait for everyone who has the pipes.
      let cancel = start.clock.after(LAST_OUTPUT, end);
      const until = start.clock.now() + ALL_LAST_OUTPUT;
      const goOn = (): void => {
        if (start.clock.now() >= until) return;
        cancel();
        cancel = start.clock.after(LAST_OUTPUT, end);
      };
      child.stdout?.on("data", goOn);
      child.stderr?.on("data", goOn);
      child.on("close", () => {
        cancel();
        end();
      });
    });
  });
  await spawned(child);
  return {
    terminate: () => child.kill("SIGTERM"),
    kill() {
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (isRunning && child.pid !== undefined) killGroup(child.pid);
    },
    ended,
  };
}

function spawnInGroup({
  argv,
  workingDirectory,
  environment,
  markPrefix,
  onOutput,
}: ProcessStart): ChildProcess {
  const child = spawn("/bin/sh", ["-c", PREAMBLE, markPrefix, ...argv], {
    cwd: workingDirectory,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onOutput("stdout", child.stdout);
  onOutput("stderr", child.stderr);
  return child;
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("spawn", resolve);
    child.on("error", reject);
  });
}
