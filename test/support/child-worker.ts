import { type ChildProcess, spawn } from "node:child_process";

const LIMIT_MS = 10_000;

/** A worker as a process of its own. What it prints is kept line by line. */
export class ChildWorker {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | string>;
  readonly #closed: Promise<void>;
  /** Whoever waits for a line: each looks again when there are more. */
  readonly #waiting: (() => void)[] = [];

  /** `command` is a program and its arguments; `environment` is added to that of the test. */
  constructor(command: readonly string[], environment: Readonly<Record<string, string>>, cwd?: string) {
    const [program = "", ...args] = command;
    this.#child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.#exited = new Promise((resolve) => {
      this.#child.on("exit", (code, signal) => resolve(code ?? signal ?? "unknown"));
    });
    this.#closed = new Promise((resolve) => {
      this.#child.on("close", () => resolve());
    });
    for (const output of [this.#child.stdout, this.#child.stderr]) this.#collect(output);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The first line that has this text in it; waits for it. */
  line(text: string): Promise<string> {
    return this.#within(`a line with "${text}"`, async () => {
      for (;;) {
        const line = this.lines.find((candidate) => candidate.includes(text));
        if (line !== undefined) return line;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    });
  }

  /** Says a line to the worker. */
  tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The exit code, or the signal that ended it; waits for its end. */
  exit(): Promise<number | string> {
    return this.#within("its end", () => this.#exited);
  }

  /** The same, once all that it printed is read. Not for one that leaves others behind with its output. */
  closed(): Promise<number | string> {
    return this.#within("the end of its output", async () => {
      await this.#closed;
      return this.#exited;
    });
  }

  /** Ends it if the test has not. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.exit();
  }

  #collect(output: NodeJS.ReadableStream | null): void {
    let rest = "";
    output?.setEncoding("utf8").on("data", (piece: string) => {
      const lines = `${rest}${piece}`.split("\n");
      rest = lines.pop() ?? "";
      this.lines.push(...lines);
      for (const look of this.#waiting.splice(0)) look();
    });
  }

  async #within<Value>(what: string, wait: () => Promise<Value>): Promise<Value> {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new Error(`waited ${LIMIT_MS} ms for ${what}; it said:\n${this.lines.join("\n")}`));
    }, LIMIT_MS);
    try {
      return await Promise.race([wait(), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }
}
