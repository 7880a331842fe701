import { expect } from "bun:test";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { processesWith } from "./processes.ts";
import { FOREBAY } from "./server-process.ts";
import { TEST_KEY, TestClient } from "./test-client.ts";
import { until } from "./until.ts";

const TERMINAL = join(import.meta.dir, "../dev/terminal.py");
const SDK = join(import.meta.dir, "../../sdk");

/** One that has not stopped by then hangs. ms */
const STOP_LIMIT = 60_000;

/** By it all processes of a project are known. */
const MARK = "FOREBAY_TEST_PROJECT";

export interface DevStart {
  readonly env?: Readonly<Record<string, string>>;
  /** In a pseudo terminal of 80 columns. */
  readonly isTerminal?: boolean;
}

/** A directory with handlers, and what runs of them. */
export class DevProject {
  readonly directory = mkdtempSync(join(tmpdir(), "forebay-dev-"));
  readonly #mark = `${MARK}=${crypto.randomUUID()}`;

  constructor(files: Readonly<Record<string, string>> = {}) {
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  write(name: string, text: string): void {
    const path = join(this.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  makeExecutable(name: string): void {
    chmodSync(join(this.directory, name), 0o755);
  }

  /** Makes the worker library known to it, as an install does. */
  installSdk(): void {
    mkdirSync(join(this.directory, "node_modules/@forebay"), { recursive: true });
    symlinkSync(SDK, join(this.directory, "node_modules/@forebay/worker"));
  }

  /** `forebay dev` with these arguments, on a free port. */
  dev(args: readonly string[], { env, isTerminal = false }: DevStart = {}): DevProcess {
    const [name = "", value] = this.#mark.split("=");
    const own = { ...process.env, FOREBAY_PORT: "0", FOREBAY_ADMIN_KEY: TEST_KEY, [name]: value };
    const command = ["node", FOREBAY, "dev", ...args];
    const [program = "", ...rest] = isTerminal ? ["python3", TERMINAL, ...command] : command;
    return new DevProcess(spawn(program, rest, { cwd: this.directory, env: { ...own, ...env } }));
  }

  /** Ids of its processes. */
  processes(): number[] {
    return processesWith(this.#mark);
  }

  /** Fails when something of it still runs. */
  end(): void {
    const left = this.processes();
    for (const pid of left) process.kill(pid, "SIGKILL");
    rmSync(this.directory, { recursive: true });
    expect(left).toEqual([]);
  }
}

/** A running `forebay dev`. */
export class DevProcess extends TestClient {
  /** What came of it; the code is null after a signal. */
  readonly exit: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  readonly #child: ChildProcessWithoutNullStreams;
  #stdout = "";
  #stderr = "";
  #url = "";

  constructor(child: ChildProcessWithoutNullStreams) {
    super();
    this.#child = child;
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (this.#stdout += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (this.#stderr += piece));
    this.exit = new Promise((resolve) => {
      child.on("close", (code) => resolve({ code, stdout: this.#stdout, stderr: this.#stderr }));
    });
  }

  get url(): string {
    return this.#url;
  }

  /** What it has shown so far. */
  get shown(): string {
    return this.#stdout;
  }

  /** What stands in the brackets of the pattern once it has been shown, `nth` counted from 1. */
  async line(pattern: RegExp, nth = 1): Promise<string> {
    const all = new RegExp(pattern, `${pattern.flags.replace("g", "")}g`);
    const match = await until(`line ${nth} like ${pattern}`, () => {
      const found = [...this.#stdout.matchAll(all)][nth - 1];
      if (found !== undefined) return found;
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.#stdout}${this.#stderr}`);
      return undefined;
    });
    return match[1] ?? match[0];
  }

  /** Waits until the handler is served. */
  async ready(): Promise<this> {
    this.#url = await this.line(/is served on (http:[\w.:/]+)/);
    return this;
  }

  /** The record of a job once it has ended. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async runsync(endpoint: string, input: unknown = {}): Promise<any> {
    return (await this.post(`/v2/${endpoint}/runsync`, { input })).json;
  }

  /** Types into its terminal, or writes to its standard input. */
  type(text: string): void {
    this.#child.stdin.write(text);
  }

  closeInput(): void {
    this.#child.stdin.end();
  }

  /** Stops it as the end of a terminal does; it has to end in order. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), STOP_LIMIT);
    expect((await this.exit).code).toBe(0);
    clearTimeout(limit);
  }
}
