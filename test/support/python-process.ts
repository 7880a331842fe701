import { expect } from "bun:test";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { type Environment, pythonProgram } from "./python.ts";
import { until } from "./until.ts";

const SCRIPTS = join(import.meta.dir, "../python");

/** How long a test waits for a line, ms. */
const LINE_LIMIT = 40_000;

/** How long the processes of a killed group may take to disappear, ms. */
const GONE_LIMIT = 5_000;

export interface PythonStart {
  /** A path below test/python. */
  readonly script: string;
  readonly args?: readonly string[];
  /** All that the script finds in its environment, beside PATH and HOME. */
  readonly env: Readonly<Record<string, string>>;
  /** The packages that it finds; those of the newest stable SDK if not given. */
  readonly packages?: Environment | undefined;
}

/** A Python script in a working directory and a process group of its own. */
export class PythonProcess {
  /** The exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly #script: string;
  readonly #directory: string;
  readonly #child: ChildProcess;
  /** The file that it prints into; undefined when it is closed. */
  #output: number | undefined;
  readonly #decoder = new StringDecoder("utf8");
  readonly #lines: string[] = [];
  /** Bytes of the output that are in the lines, or in what follows the last of them. */
  #bytesRead = 0;
  #rest = "";
  #hasEnded = false;
  #end = "runs";

  constructor({ script, args = [], env, packages }: PythonStart) {
    this.#script = script;
    this.#directory = mkdtempSync(join(tmpdir(), "forebay-python-"));
    // No pipe: once in hundreds of runs nothing more came out of one, on a busy machine.
    this.#output = openSync(join(this.#directory, ".output"), "a+");
    this.#child = spawn(pythonProgram(packages), [join(SCRIPTS, script), ...args], {
      cwd: this.#directory,
      // The SDK prefers a key that it finds in the home directory to the one of its environment.
      env: { PATH: process.env["PATH"], HOME: this.#directory, ...env },
      detached: true,
      stdio: ["pipe", this.#output, this.#output],
    });
    this.exited = new Promise((resolve) => {
      this.#child.on("exit", (code, signal) => {
        this.#hasEnded = true;
        this.#end = `ended by ${signal ?? `itself with ${code}`} at ${new Date().toISOString()}`;
        resolve(code);
      });
    });
  }

  /** Its name, and whether it runs or how it ended, for whoever looks into a failed test. */
  get title(): string {
    return `${this.#script} (${this.#end})`;
  }

  /** What it has printed so far. */
  get lines(): readonly string[] {
    this.#read();
    return this.#lines;
  }

  /** The line that matches, once it is there; `nth` counts the lines that match from 1. */
  line(pattern: RegExp, nth = 1): Promise<string> {
    return until(
      `line ${nth} like ${pattern} of ${this.#script}`,
      () => {
        const hasEnded = this.#hasEnded;
        const line = this.lines.filter((candidate) => pattern.test(candidate))[nth - 1];
        if (line === undefined && hasEnded)
          throw new Error(`${this.title} without line ${nth} like ${pattern}`);
        return line;
      },
      LINE_LIMIT,
    );
  }

  count(pattern: RegExp): number {
    return this.lines.filter((line) => pattern.test(line)).length;
  }

  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Makes an empty file in its working directory. */
  touch(name: string): void {
    writeFileSync(join(this.#directory, name), "");
  }

  /** Asks the script itself to end, not the processes that it has started: as a container does. */
  terminate(): void {
    this.#child.kill("SIGTERM");
  }

  /** Kills the script itself, and not the processes that it has started. */
  killAlone(): void {
    this.#child.kill("SIGKILL");
  }

  /** Kills all its processes at once, as the end of a container does. */
  async kill(): Promise<void> {
    if (this.#group().length > 0) process.kill(-this.#pid, "SIGKILL");
    await this.exited;
  }

  /** Kills what is left of it; fails if a process survives. */
  async end(): Promise<void> {
    await this.kill();
    const giveUpAt = performance.now() + GONE_LIMIT;
    while (this.#group().length > 0 && performance.now() < giveUpAt) await new Promise(setImmediate);
    expect(this.#group()).toEqual([]);
    this.#read();
    if (this.#output !== undefined) closeSync(this.#output);
    this.#output = undefined;
    rmSync(this.#directory, { recursive: true });
  }

  /** Its processes that still run; a script that ends by itself must end those it has started. */
  #group(): string[] {
    const { stdout } = spawnSync("ps", ["-A", "-o", "pgid=,stat=,pid=,args="], { encoding: "utf8" });
    const running = new RegExp(`^\\s*${this.#pid}\\s+[^Z]`);
    return stdout.split("\n").filter((line) => running.test(line));
  }

  get #pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`${this.#script} could not be started`);
    return pid;
  }

  #read(): void {
    if (this.#output === undefined) return;
    const bytes = Buffer.alloc(fstatSync(this.#output).size - this.#bytesRead);
    const count = readSync(this.#output, bytes, 0, bytes.length, this.#bytesRead);
    this.#bytesRead += count;
    const parts = `${this.#rest}${this.#decoder.write(bytes.subarray(0, count))}`.split("\n");
    this.#rest = parts.pop() ?? "";
    this.#lines.push(...parts);
  }
}
