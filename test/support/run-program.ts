import { spawn } from "node:child_process";

/** A program that has ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  /** Variables beside those of the test. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Without what npm tells the scripts that it runs: to an npm below it, that is configuration. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
}

/** Runs a program to its end. */
export function endOf([program = "", ...args]: readonly string[], options: ProgramOptions): Promise<Ended> {
  const env = { ...ownEnvironment(), ...options.env };
  const child = spawn(program, args, { cwd: options.cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** Runs a program that has to succeed. */
export async function succeeded(words: readonly string[], options: ProgramOptions): Promise<Ended> {
  const ended = await endOf(words, options);
  if (ended.status === 0) return ended;
  throw new Error(`${words.join(" ")} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`);
}
