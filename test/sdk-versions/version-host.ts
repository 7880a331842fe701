import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { killIfThere } from "../support/processes.ts";
import { pythonProgram } from "../support/python.ts";
import { until } from "../support/until.ts";
import { VersionWorker } from "./version-worker.ts";
import type { SdkVersion } from "./versions.ts";

const SCRIPT = join(import.meta.dir, "workers/host.py");

/** How long the imports of a host may take while all start at once, ms. */
const START_LIMIT = 90_000;

/** What a handler does. */
export type HandlerForm = "sync" | "async" | "generator";

export interface WorkerStart {
  readonly form: HandlerForm;
  readonly concurrency?: number;
  /** The environment that admits it. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts workers of one SDK version. */
export class VersionHost {
  readonly version: SdkVersion;
  readonly #child;
  readonly #printed: string[] = [];
  #orders = 0;
  readonly #started: VersionWorker[] = [];
  readonly #directories: string[] = [];

  constructor(version: SdkVersion) {
    this.version = version;
    this.#child = spawn(pythonProgram(version.environment), [SCRIPT], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface(this.#child.stdout).on("line", (line) => this.#printed.push(line));
  }

  /** A worker in a directory of its own, which has begun to ask for jobs. */
  start(start: WorkerStart): Promise<VersionWorker> {
    const directory = mkdtempSync(join(tmpdir(), "forebay-sdk-"));
    this.#directories.push(directory);
    return this.startIn(directory, start);
  }

  /** A worker in the directory of another one, as when a container starts again. */
  async startIn(directory: string, { form, concurrency = 1, env }: WorkerStart): Promise<VersionWorker> {
    const nth = ++this.#orders; // the first line that it prints says that it is ready
    const output = `.output-${nth}`;
    const order = {
      directory,
      output,
      env: {
        PATH: process.env["PATH"],
        HOME: directory,
        ...env,
        FORM: form,
        CONCURRENCY: String(concurrency),
        RUNPOD_SKIP_GPU_CHECK: "true",
      },
    };
    this.#child.stdin.write(`${JSON.stringify(order)}\n`);
    const pid = await until(
      `SDK ${this.version.version} started a worker`,
      () => this.#printed[nth],
      START_LIMIT,
    );
    const worker = new VersionWorker({ pid: Number(pid), directory, output });
    this.#started.push(worker);
    return worker;
  }

  async stop(): Promise<void> {
    for (const worker of this.#started) worker.kill();
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, "exit");
      if (this.#child.pid !== undefined) killIfThere(this.#child.pid);
      await ended;
    }
    for (const directory of this.#directories) rmSync(directory, { recursive: true, force: true });
  }
}
