import { existsSync, readdirSync, readFileSync } from "node:fs";
import { environmentOf } from "./processes.ts";

/** Between two looks, ms. */
const PAUSE = 1_000;
/** Linux counts CPU time in these for user space. */
const TICKS_PER_SECOND = 100;

/**
 * The CPU time of processes that detached from their suite, such as PostgreSQL and containers: no parent in
 * the suite waits for them, so the kernel does not add their time to that of the suite.
 */
export class DetachedCpu {
  readonly #mark: string;
  readonly #seconds = new Map<number, number>();
  readonly #timer: NodeJS.Timeout | undefined;

  /** `mark` is the `NAME=value` in the environment of all processes of the suite. */
  constructor(mark: string) {
    this.#mark = mark;
    if (existsSync("/proc/self/stat")) this.#timer = setInterval(() => this.#look(), PAUSE);
  }

  /** Stops looking. */
  end(): number {
    clearInterval(this.#timer);
    return [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  #look(): void {
    for (const pid of readdirSync("/proc").map(Number)) {
      if (!Number.isInteger(pid)) continue;
      const stat = statOf(pid);
      if (stat?.parent !== 1) continue;
      if (this.#seconds.has(pid) || environmentOf(pid).includes(this.#mark))
        this.#seconds.set(pid, stat.seconds);
    }
  }
}

/** Seconds: of the process, and of its children that have ended. */
function statOf(pid: number): { readonly parent: number; readonly seconds: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined; // it has ended meanwhile
  }
  // The name of the program, in brackets, can contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
}
