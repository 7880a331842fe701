import { expect } from "bun:test";
import { PythonProcess, type PythonStart } from "./python-process.ts";
import type { TestClient } from "./test-client.ts";

export interface PythonWorkerStart {
  readonly server: TestClient;
  readonly endpoint: string;
  /** The name of a script in test/python/workers. */
  readonly script: string;
  /** The environment that admits the worker; without it, it gets a token of its own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** What the SDK prints of each call for a job, before it makes it. */
export const ASKS_FOR_JOB = /rp_job \| get_job: /;

/** What the SDK prints when something went wrong, whether it goes on or not. */
const COMPLAINT = /"level": "(WARN|ERROR)"|Traceback|\bError\b/;

/** How many lines of each process a failed test shows. */
const SHOWN_LINES = 100;

/** The Python processes of a test: they end with it, and what they printed is shown if it fails. */
export class PythonProcesses {
  readonly #started: PythonProcess[] = [];

  start(start: PythonStart): PythonProcess {
    const started = new PythonProcess(start);
    this.#started.push(started);
    return started;
  }

  /** A worker with the unmodified public SDK, which has just asked for its first job. */
  async worker({ server, endpoint, script, env }: PythonWorkerStart): Promise<PythonProcess> {
    const admitted = env ?? (await server.post(`/v1/endpoints/${endpoint}/workers`)).json.env;
    const worker = this.start({ script: `workers/${script}`, env: admitted });
    await worker.line(ASKS_FOR_JOB);
    return worker;
  }

  /** The part of a test that uses them. */
  async show(body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      for (const { title, lines } of this.#started) {
        process.stderr.write(`\n--- ${title} ---\n${lines.slice(-SHOWN_LINES).join("\n")}\n`);
      }
      throw error;
    }
  }

  /** None of them has complained of anything but what matches `expected`. */
  expectNoComplaint(expected?: RegExp): void {
    const complaints = this.#started
      .flatMap(({ lines }) => lines)
      .filter((line) => COMPLAINT.test(line) && !expected?.test(line));
    expect(complaints).toEqual([]);
  }

  async end(): Promise<void> {
    for (const started of this.#started.splice(0)) await started.end();
  }
}

/** Runs a test with Python processes of its own. */
export async function withPython(body: (python: PythonProcesses) => Promise<void>): Promise<void> {
  const python = new PythonProcesses();
  try {
    await python.show(() => body(python));
  } finally {
    await python.end();
  }
}
