import { spawn } from "node:child_process";
import { constants } from "node:os";
import { errorCode } from "../../domain/errors.ts";
import { CommandFault } from "../command-fault.ts";
import { toldToStop } from "../process-end.ts";
import { killGroup } from "../../fleet/process/kill-group.ts";
import { withoutServerSecrets } from "../child-environment.ts";

/** Signals that end a worker in order. */
const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

/** As shells tell that a signal ended a program. */
const BY_SIGNAL = 128;

/**
 * Runs a program that is a worker by itself, with what it needs to connect in its environment. Passes signals
 * on, kills it at the second one, and answers its exit code. Throws CommandFault if there is no such program.
 */
export function runProgram(
  [program = "", ...args]: readonly string[],
  connection: Readonly<Record<string, string>>,
): Promise<number> {
  // A program of a terminal stays in its group: it may read there, and gets Ctrl-C from there.
  const isInTerminal = process.stdin.isTTY;
  const env = environmentOf(connection);
  const child = spawn(program, args, { env, stdio: "inherit", detached: !isInTerminal });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (!(signal === "SIGINT" && isInTerminal)) child.kill(signal);
    });
  }
  void toldToStop(() => {
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
    // Else the public Python SDK ends on machines without a GPU.
    RUNPOD_SKIP_GPU_CHECK: "true",
    ...own,
    // By it the public Python SDK sends heartbeats. A shared environment has none: no two may be the same.
    RUNPOD_POD_ID: own["RUNPOD_POD_ID"] || crypto.randomUUID(),
    ...connection,
  };
}

function startFault(program: string, error: Error): Error {
  const code = errorCode(error);
  if (code === "ENOENT") {
    return new CommandFault(`there is no program ${program}. Install it, or write its path.`);
  }
  if (code === "EACCES") {
    return new CommandFault(
      `${program} cannot be executed. Run chmod +x on it, or name the program that reads it.`,
    );
  }
  return error;
}
