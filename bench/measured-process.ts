import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { atExit } from "./at-exit.ts";

/** A process of a benchmark: we wait for lines that it prints, and read what it uses at any time. */
export class MeasuredProcess {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #name: string;
  #wake: () => void = () => {};
  #hasEnded = false;
  /** Its exit code, once it has ended; null after a signal, or if it did not start. */
  readonly ended: Promise<number | null>;

  constructor(command: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const [program = "", ...args] = command;
    this.#name = command.join(" ");
    this.#child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const takeBack = atExit(() => this.#child.kill("SIGKILL"));
    const { stdout, stdin } = this.#child;
    if (stdout === null || stdin === null) throw new Error("a measured process has pipes");
    // A process that ends early reports itself: the next wait for a line fails.
    stdin.on("error", () => undefined);
    const { promise, resolve } = Promise.withResolvers<number | null>();
    this.ended = promise;
    this.#child.on("error", (error) => {
      console.error(`${this.#name} did not start: ${error.message}`);
      this.#hasEnded = true;
      resolve(null);
      this.#wake();
    });
    createInterface({ input: stdout }).on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.#child.on("exit", (code) => {
      this.#hasEnded = true;
      resolve(code);
      takeBack();
      this.#wake();
    });
  }

  /** The next line that has `text` in it; fails after `limit` ms, or when the process ends without one. */
  async line(text: string, limit = 120_000): Promise<string> {
    const deadline = performance.now() + limit;
    for (;;) {
      const index = this.#lines.findIndex((line) => line.includes(text));
      if (index >= 0) return this.#lines.splice(0, index + 1).at(-1) ?? "";
      if (this.#hasEnded) throw new Error(`${this.#name} ended before it printed ${text}`);
      const remaining = deadline - performance.now();
      if (remaining <= 0) throw new Error(`waited ${limit} ms for ${this.#name} to print ${text}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, remaining);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** Writes a line to its standard input. */
  write(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** CPU time so far, user and system, of all threads and of children that have ended, in microseconds. */
  cpu(): number {
    const fields = this.#proc("stat").split(") ").at(-1)?.split(" ") ?? [];
    // utime, stime, cutime and cstime, in ticks of 10 ms (proc(5)).
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10_000;
  }

  /** Resident memory in MB. */
  memory(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(this.#proc("status"))?.[1] ?? 0) / 1_024;
  }

  /** The most resident memory that it has had, in MB. */
  peakMemory(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(this.#proc("status"))?.[1] ?? 0) / 1_024;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Kills it, or sends the given signal, and waits until it has ended. */
  async stop(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    if (!this.#hasEnded) this.#child.kill(signal);
    await this.ended;
  }

  #proc(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, "utf8");
  }
}
