import { ServerProcess, type ServerProcessOptions } from "../support/server-process.ts";
import { processesWith } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { freePort } from "../support/free-port.ts";

/** When a server is killed. */
export type KillPlan =
  /** So many milliseconds after its launch, whether it serves by then or not. */
  | { readonly at: "launch"; readonly ms: number }
  /** So many milliseconds after it was ready. */
  | { readonly at: "time"; readonly ms: number }
  /** At once when it marks the begin of this commit, counted from 1 since it was ready. */
  | { readonly at: "commit"; readonly number: number };

/** By then the next commit must have come, ms. */
const PATIENCE = 10_000;

/** A server that is killed and started again, on the same data and port. */
export class KilledServer {
  readonly #server: ServerProcess;
  readonly #marks: Marks;
  /** Its workers when it was killed. */
  #leftBehind: readonly number[] = [];
  /** Workers that were still there when the next server was ready. */
  readonly orphans: number[] = [];

  private constructor(server: ServerProcess, marks: Marks) {
    this.#server = server;
    this.#marks = marks;
  }

  static async start(options: ServerProcessOptions): Promise<KilledServer> {
    const marks = new Marks();
    const port = String(await freePort());
    const server = await ServerProcess.start({
      ...options,
      flags: { ...options.flags, port },
      onMarks: (text) => marks.read(text),
    });
    return new KilledServer(server, marks);
  }

  get process(): ServerProcess {
    return this.#server;
  }

  get commits(): number {
    return this.#marks.ended;
  }

  async startAgain(): Promise<void> {
    await this.#server.startAgain();
    // By their environments: a process that has lost it runs no more, and only has not been cleared away.
    const running = new Set(processesWith("RUNPOD_POD_ID="));
    this.orphans.push(...this.#leftBehind.filter((pid) => running.has(pid)));
  }

  /** Starts it, kills it as planned, and tells whether that was inside a commit. */
  async runUntilKilled(plan: KillPlan, meanwhile: () => Promise<void>): Promise<boolean> {
    if (plan.at === "launch") {
      this.#server.launch();
      await Bun.sleep(plan.ms);
      await this.#server.kill();
    } else {
      await this.startAgain();
      await Promise.all([this.#killWhenReady(plan), meanwhile()]);
    }
    this.#leftBehind = this.#server.workerProcesses();
    return this.#marks.last === "b";
  }

  async #killWhenReady(plan: Exclude<KillPlan, { at: "launch" }>): Promise<void> {
    if (plan.at === "time") {
      await Bun.sleep(plan.ms);
      await this.#server.kill();
      return;
    }
    const last = this.#marks.begun + plan.number;
    let killed: Promise<void> | undefined;
    this.#marks.onBegin = () => {
      if (this.#marks.begun >= last) killed ??= this.#server.kill();
    };
    const isKilled = (): boolean => killed !== undefined;
    // A busy machine takes its time for all of them, but not for the next one.
    while (!isKilled()) {
      const { begun } = this.#marks;
      await until(`commit ${begun + 1} began`, () => isKilled() || this.#marks.begun > begun, PATIENCE);
    }
    await killed;
    this.#marks.onBegin = undefined;
  }
}

class Marks {
  begun = 0;
  ended = 0;
  last = "";
  onBegin: (() => void) | undefined = undefined;

  read(text: string): void {
    for (const mark of text) {
      this.last = mark;
      if (mark === "b") this.begun++;
      if (mark === "e") this.ended++;
    }
    // The last one counts: those before are over.
    if (this.last === "b") this.onBegin?.();
  }
}
