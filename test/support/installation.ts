import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { processesWith } from "./processes.ts";
import { type Ended, endOf, ownEnvironment, succeeded } from "./run-program.ts";
import { TEST_KEY, TestClient } from "./test-client.ts";
import { until } from "./until.ts";

const READY_LIMIT = 20_000;
const STOP_LIMIT = 10_000;

/** By it the processes of a server are known. */
const MARK = "FOREBAY_TEST_INSTALLATION";

export interface InstallationOptions {
  /** The project: it is empty at first. */
  readonly directory: string;
  /** The Node that runs npm and Forebay. */
  readonly node: string;
  /** How Forebay is called there. */
  readonly command: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** A project outside any clone, and the Forebay that is installed for it. */
export class Installation extends TestClient {
  readonly directory: string;
  readonly #command: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #mark = crypto.randomUUID();
  #server: ChildProcess | undefined;
  #url = "";

  constructor({ directory, node, command, env }: InstallationOptions) {
    super();
    this.directory = directory;
    this.#command = command;
    const path = `${dirname(node)}${delimiter}${process.env["PATH"]}`;
    this.#env = { PATH: path, FOREBAY_ADMIN_KEY: TEST_KEY, FOREBAY_PORT: "0", ...env };
    mkdirSync(directory, { recursive: true });
    // One of them runs as another user.
    chmodSync(directory, 0o777);
  }

  get url(): string {
    return this.#url;
  }

  write(name: string, text: string): string {
    writeFileSync(join(this.directory, name), text);
    return join(this.directory, name);
  }

  /** `npm install`, in the project or with `--global`, with what the cache of npm has. */
  async install(...words: readonly string[]): Promise<void> {
    await this.exec(["npm", "install", "--prefer-offline", "--no-audit", "--no-fund", ...words]);
  }

  /** Runs a program that has to succeed. */
  exec(words: readonly string[]): Promise<Ended> {
    return succeeded(words, { cwd: this.directory, env: this.#env });
  }

  /** Runs `forebay` to its end. */
  forebay(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return endOf([...this.#command, ...words], { cwd: this.directory, env: { ...this.#env, ...env } });
  }

  /** Runs `forebay serve` until `stop`. */
  async serve(...words: readonly string[]): Promise<void> {
    const [program = "", ...args] = [...this.#command, "serve", ...words];
    const env = { ...ownEnvironment(), ...this.#env, [MARK]: this.#mark };
    const child = spawn(program, args, { cwd: this.directory, env, detached: true, stdio: "pipe" });
    this.#server = child;
    const printed: string[] = [];
    for (const output of [child.stdout, child.stderr]) {
      createInterface(output).on("line", (line) => printed.push(line));
    }
    const address = (): string | undefined => {
      if (child.exitCode !== null) throw new Error(`the server ended: ${printed.join("\n")}`);
      return printed.map((line) => /^forebay ready on (\S+)$/.exec(line)?.[1]).find(Boolean);
    };
    this.#url = (await until("the server is ready", address, READY_LIMIT)) ?? "";
  }

  /** Stops the server as the end of a terminal does; nothing of it may be left. */
  async stop(): Promise<void> {
    const pid = this.#server?.pid;
    this.#server = undefined;
    if (pid === undefined) return;
    process.kill(-pid, "SIGTERM");
    await until("the server has ended", () => this.#left() === 0, STOP_LIMIT);
  }

  #left(): number {
    return processesWith(`${MARK}=${this.#mark}`).length;
  }
}
