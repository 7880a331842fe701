import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../../domain/clock.ts";
import type { OutputStream } from "../worker-output.ts";
import { killGroup } from "./kill-group.ts";

export interface ProcessStart {
  readonly argv: readonly string[];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Before the process becomes the program, it writes a file of this name with its id and start time. */
  readonly markPrefix: string;
  /** The control group that it then enters with all its children; undefined: none. */
  readonly cgroup?: string | undefined;
  /** Reads what it prints. */
  readonly onOutput: (stream: OutputStream, output: Readable) => void;
  readonly clock: Clock;
}

export interface StartedProcess {
  /**
   * Sends SIGTERM to the process only, as a container runtime does. It must pass the signal on to its
   * children.
   */
  terminate(): void;
  /** Sends SIGKILL to the process and everything that it started. */
  kill(): void;
  /** How it ended. By then everything in its group is killed and all its output is read. */
  readonly ended: Promise<string>;
}

/** The 22nd field of /proc/<pid>/stat is the start time; the name before it, `(sh)`, has no spaces. */
const SKIPPED = Array.from({ length: 21 }, () => "forebay_").join(" ");

/**
 * Runs in the process before it becomes the program. So nothing of a worker runs before its mark is on the
 * disk, or after its directory was removed. The mark is the name of the file, so it is never half-written.
 * The start time is empty if the system does not tell it. Variables that the shell adds are removed. If the
 * process cannot enter its control group, the program does not run.
 */
const PREAMBLE = [
  `{ read -r ${SKIPPED} forebay_start forebay_ </proc/$$/stat; } 2>/dev/null`,
  ': >"$0.$$.$forebay_start" && { [ -z "$1" ] || echo 0 >"$1/cgroup.procs"; } && shift' +
    ' && unset PWD OLDPWD SHLVL forebay_ forebay_start && exec "$@"',
].join("; ");

/**
 * A process that left the group may keep the pipes open. The output is over after this long without any, or
 * after this long in total, ms.
 */
const LAST_OUTPUT = 500;
const ALL_LAST_OUTPUT = 5_000;

/** Starts a program as the leader of its own process group. Throws the system's error. */
export async function startProcess(start: ProcessStart): Promise<StartedProcess> {
  const child = spawnInGroup(start);
  const ended = new Promise<string>((resolve) => {
    child.on("exit", (code, signal) => {
      if (child.pid !== undefined) killGroup(child.pid);
      const end = (): void => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      // "close" alone would wait for every process that has the pipes.
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
  cgroup = "",
  onOutput,
}: ProcessStart): ChildProcess {
  const child = spawn("/bin/sh", ["-c", PREAMBLE, markPrefix, cgroup, ...argv], {
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
