import { expect } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { processesIn, processesWith } from "./processes.ts";
import { TEST_KEY, TestClient } from "./test-client.ts";
import { until } from "./until.ts";

export const FOREBAY = join(import.meta.dir, "../../bin/forebay.mjs");
const MAIN = join(import.meta.dir, "../../src/cli/main.ts");

const WALL_CLOCK = join(import.meta.dir, "own-wall-clock.ts");

/** The pipe on which a server marks its commits. */
const MARKS_PIPE = 3;

/** A server that is not ready by then, or has not stopped by then, hangs. ms */
const READY_LIMIT = 60_000;
const STOP_LIMIT = 60_000;

export interface ServerProcessOptions {
  /** Flags of `forebay serve`, without their dashes. */
  readonly flags?: Readonly<Record<string, string>>;
  /** What its workers can run, by the names of the commands. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Further arguments, as they are. */
  readonly args?: readonly string[];
  /** Variables beside those of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Gets the marks of its commits as they come. Such a server runs without the launcher, which hands on no
   * pipes.
   */
  readonly onMarks?: (marks: string) => void;
  /** Its wall clock can be set; it runs without the launcher. */
  readonly hasOwnWallClock?: boolean;
  /** How many ms its own wall clock is ahead at its first start. */
  readonly wallClock?: number;
  /** How many files and connections it may have open. */
  readonly descriptors?: number;
  /** The program of another version; it runs without the launcher. */
  readonly main?: string;
}

/** An entry of the server's log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/**
 * A server as it is run: a process of its own, which can be killed and started again on its data and port.
 */
export class ServerProcess extends TestClient {
  readonly directory = mkdtempSync(join(tmpdir(), "forebay-server-"));
  /** What it printed since its last start. */
  readonly printed: string[] = [];
  /** Its log since its first start. */
  readonly log: LogLine[] = [];
  readonly #data: string;
  readonly #commands = join(this.directory, "commands.json");
  readonly #wallClock = join(this.directory, "wall-clock");
  readonly #args: string[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #onMarks: ((marks: string) => void) | undefined;
  readonly #hasOwnWallClock: boolean;
  readonly #descriptors: number | undefined;
  #main: string | undefined;
  #url = "";
  #child: ChildProcess | undefined;
  #ended: Promise<number | null> = Promise.resolve(0);

  private constructor(options: ServerProcessOptions) {
    super();
    const { flags, commands = {}, args = [], env, onMarks, hasOwnWallClock = false } = options;
    this.#data = flags?.["data"] ?? join(this.directory, "data");
    this.register(commands);
    const all = {
      data: this.#data,
      ...(args.includes("--no-demo") ? {} : { demo: "false" }),
      ...(env?.["FOREBAY_ADMIN_KEY"] === undefined ? { "admin-key": TEST_KEY } : {}),
      commands: this.#commands,
      ...(onMarks === undefined ? {} : { "commit-marks-fd": String(MARKS_PIPE) }),
      ...flags,
    };
    this.#args = [...Object.entries(all).flatMap(([flag, value]) => [`--${flag}`, value]), ...args];
    this.#env = { ...process.env, ...env, WALL_CLOCK_SET_FILE: this.#wallClock };
    this.#onMarks = onMarks;
    this.#hasOwnWallClock = hasOwnWallClock;
    this.#descriptors = options.descriptors;
    this.#main = options.main;
    this.setWallClock(options.wallClock ?? 0);
  }

  static async start(options: ServerProcessOptions = {}): Promise<ServerProcess> {
    const server = new ServerProcess(options);
    await server.startAgain();
    return server;
  }

  get url(): string {
    return this.#url;
  }

  /** Its next start knows these commands and no others. */
  register(commands: Readonly<Record<string, readonly string[]>>): void {
    writeFileSync(this.#commands, JSON.stringify(commands));
  }

  /** Its next start is of this version. */
  upgrade(): void {
    this.#main = undefined;
  }

  async startAgain(): Promise<void> {
    this.launch();
    await this.ready();
  }

  /** Starts it, and does not wait until it serves. */
  launch(): void {
    const port = this.#url === "" ? "0" : new URL(this.#url).port;
    const isMarking = this.#onMarks !== undefined;
    const preload = this.#hasOwnWallClock ? ["--preload", WALL_CLOCK] : [];
    const isDirect = isMarking || this.#hasOwnWallClock || this.#main !== undefined;
    const limit =
      this.#descriptors === undefined ? [] : ["sh", "-c", `ulimit -n ${this.#descriptors}; exec "$@"`, "sh"];
    const server = isDirect ? [process.execPath, ...preload, this.#main ?? MAIN] : ["node", FOREBAY];
    const [program = "", ...script] = [...limit, ...server];
    const child = spawn(program, [...script, "serve", "--port", port, ...this.#args], {
      env: this.#env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", ...(isMarking ? ["pipe" as const] : [])],
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.on("close", resolve));
    this.printed.length = 0;
    const { stdout, stderr } = child;
    if (stdout) createInterface(stdout).on("line", (line) => this.printed.push(line));
    if (stderr) createInterface(stderr).on("line", (line) => this.log.push(parseLog(line)));
    child.stdio[MARKS_PIPE]?.on("data", (marks: Buffer) => this.#onMarks?.(marks.toString()));
  }

  async ready(): Promise<void> {
    const child = this.#child;
    this.#url = await until(
      "the server was ready",
      () => {
        if (child?.exitCode !== null) throw new Error(`the server ended: ${JSON.stringify(this.log.at(-1))}`);
        return this.printed.map((line) => /^forebay ready on (\S+)$/.exec(line)?.[1]).find(Boolean);
      },
      READY_LIMIT,
    ).catch((cause: unknown) => {
      throw new Error(`the server is not ready; its log ends with ${JSON.stringify(this.log.slice(-5))}`, {
        cause,
      });
    });
  }

  /** SIGKILL to the server and its launcher; workers have groups of their own. */
  async kill(): Promise<void> {
    this.#signalGroup("SIGKILL");
    await this.#ended;
  }

  /** From now on the wall clock of the server shows this many ms more than it is. */
  setWallClock(by: number): void {
    writeFileSync(this.#wallClock, String(by));
  }

  /** It stands still, as on a machine that is suspended, until it is told to go on. */
  pause(): void {
    this.#signalGroup("SIGSTOP");
  }

  resume(): void {
    this.#signalGroup("SIGCONT");
  }

  /** Stops it as an operator does. It is killed when it hangs, and none of its workers may be left. */
  async terminate(signal: "SIGTERM" | "SIGHUP" = "SIGTERM"): Promise<void> {
    const limit = setTimeout(() => this.#signalGroup("SIGKILL"), STOP_LIMIT);
    expect(await this.end(signal)).toBe(0);
    clearTimeout(limit);
    expect(this.workerProcesses()).toEqual([]);
  }

  /** Tells it to end; the answer is its exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child?.kill(signal);
    return this.#ended;
  }

  /** Ends what of it runs, and fails when it had an error that nobody looked at. */
  async stop(): Promise<void> {
    try {
      if (this.#isRunning()) await this.terminate();
      expect(this.log.filter(({ level }) => level === "error")).toEqual([]);
    } finally {
      if (this.#isRunning()) await this.kill();
      for (const pid of this.workerProcesses()) process.kill(pid, "SIGKILL");
      rmSync(this.directory, { recursive: true });
    }
  }

  /** Takes the errors out of the log: a stop fails if one is left. */
  takeErrors(): LogLine[] {
    const errors = this.log.filter(({ level }) => level === "error");
    this.log.splice(0, this.log.length, ...this.log.filter(({ level }) => level !== "error"));
    return errors;
  }

  /** Ids of the processes of its workers; of one worker, if it is named. */
  workerProcesses(worker?: string): number[] {
    if (worker !== undefined) return processesWith(`RUNPOD_POD_ID=${worker}`);
    return processesIn(this.#data);
  }

  /** The entries of the log with this message. */
  logged(message: string): LogLine[] {
    return this.log.filter((line) => line.message === message);
  }

  #isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  #signalGroup(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) process.kill(-this.#child.pid, signal);
  }

  /** A template of a registered command, and an endpoint on it; the answer is the id of the endpoint. */
  async commandEndpoint(command: string, fields: Record<string, unknown> = {}, env = {}): Promise<string> {
    const name = `template-${crypto.randomUUID()}`;
    const { json } = await this.post("/v1/templates", { name, imageName: `process/${command}`, env });
    return this.endpoint({ templateId: json.id, ...fields });
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async health(endpoint: string): Promise<any> {
    const { json } = await this.get(`/v2/${endpoint}/health`);
    return json;
  }
}

function parseLog(line: string): LogLine {
  return line.startsWith("{") ? JSON.parse(line) : { level: "error", message: line };
}
