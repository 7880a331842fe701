import { spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCode } from "../../domain/errors.ts";
import { CommandFault } from "../command-fault.ts";
import { stopSignal } from "../process-end.ts";
import { killGroup } from "../../fleet/process/kill-group.ts";
import { withoutServerSecrets } from "../child-environment.ts";

/** Signals that stop a worker in order. */
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** Exit codes of signals, as shells report them. */
const BY_SIGNAL = 128;

/**
 * Runs a program that is a worker itself, with its connection in the environment. Passes signals on, kills it
 * at the second one, and returns its exit code. Throws CommandFault if there is no such program.
 */
export function runProgram(
  [program = "", ...args]: readonly string[],
  connection: Readonly<Record<string, string>>,
): Promise<number> {
  // In a terminal it stays in our group, so that it can read from it and gets Ctrl-C.
  const isInTerminal = process.stdin.isTTY;
  const env = environmentOf(connection);
  const child = spawn(program, args, { env, stdio: "inherit", detached: !isInTerminal });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!(signal === "SIGINT" && isInTerminal)) child.kill(signal);
    });
  }
  void stopSignal(() => {
    if (isInTerminal || child.pid === undefined) child.kill("SIGKILL");
    else killGroup(child.pid);
  });
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(startFault(program, error)));
    child.on("exit", (code, signal) => {
      resolve(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

function environmentOf(connection: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const own = withoutServerSecrets(process.env);
  return {
    // Without it, the public Python SDK exits on machines without a GPU.
    RUNPOD_SKIP_GPU_CHECK: "true",
    ...own,
    // The public Python SDK sends heartbeats only if it is set. A shared environment lacks it, because it
    // must be unique.
    RUNPOD_POD_ID: own["RUNPOD_POD_ID"] || crypto.randomUUID(),
    ...connection,
  };
}

function startFault(program: string, error: Error): Error {
  const code = errorCode(error);
  if (code === "ENOENT") {
    return new CommandFault(`the program ${program} was not found. Install it, or give its path.`);
  }
  if (code === "EACCES") {
    return new CommandFault(`${program} cannot be executed. Run chmod +x on it, or name its interpreter.`);
  }
  return error;
}
