import { expect } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { FOREBAY } from "./server-process.ts";
import { until } from "./until.ts";

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** What stands on its standard input. */
  readonly input?: string;
  /** Runs it in a terminal of 80 columns, whose screen is `stdout`. */
  readonly isInTerminal?: boolean;
}

/** A command line of Forebay as a process. */
export class ForebayCommand {
  stdout = "";
  stderr = "";
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;

  constructor(args: readonly string[], { env, input, isInTerminal = false }: CommandOptions = {}) {
    const words = ["node", FOREBAY, ...args];
    const inTerminal = ["-qec", `stty cols 80 -echo; exec ${words.map(quoted).join(" ")}`, "/dev/null"];
    const [program = "", ...rest] = isInTerminal ? ["script", ...inTerminal] : words;
    // Those of the test's own terminal must not decide.
    const { NO_COLOR: _, FOREBAY_KEY: __, FOREBAY_URL: ___, ...own } = process.env;
    const child = spawn(program, rest, { env: { ...own, TERM: "xterm", ...env } });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.on("close", resolve));
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (this.stdout += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (this.stderr += piece));
    if (input !== undefined) child.stdin.end(input);
    else if (!isInTerminal) child.stdin.end();
  }

  /** What it printed and its exit code, once it has ended. */
  async ended(): Promise<{ status: number | null; stdout: string; stderr: string }> {
    const status = await this.#ended;
    return { status, stdout: this.stdout, stderr: this.stderr };
  }

  /** What it printed, once it has ended. Fails if it ended with another code, or printed an error. */
  async output(exitCode = 0): Promise<string> {
    const { status, stdout, stderr } = await this.ended();
    expect([stderr, status]).toEqual(["", exitCode]);
    return stdout;
  }

  /** Waits until it has printed this. */
  async printed(text: string): Promise<void> {
    await until(`it prints ${JSON.stringify(text)}`, () => this.stdout.includes(text));
  }

  /** Ctrl-C, in its terminal. */
  interrupt(): void {
    this.type("\x03");
  }

  /** What somebody types in its terminal. */
  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
