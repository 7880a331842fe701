import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { unmountIn } from "./mounts.ts";
import { killIfThere, processesIn, processesWith } from "./processes.ts";
import { until } from "./until.ts";

const MARK = "FOREBAY_TEST_SUITE";

/** What ends with the suite may take so long, ms: the last of it was just killed, and the machine is busy. */
const PATIENCE = 3_000;

/**
 * What a suite gets so that all it starts is found afterwards, also when its parents have ended: a variable,
 * and a directory for its temporary files. Workers get few variables, and work in a directory of their own.
 */
export class SuiteRoom {
  readonly #directory = mkdtempSync(join(tmpdir(), "forebay-suite-"));

  constructor() {
    // Servers of another user have theirs in it.
    chmodSync(this.#directory, 0o755);
  }

  /** The variable as `NAME=value`. */
  get mark(): string {
    return `${MARK}=${basename(this.#directory)}`;
  }

  get env(): Readonly<Record<string, string>> {
    return { TMPDIR: this.#directory, [MARK]: basename(this.#directory) };
  }

  /**
   * Ends what the suite has left running, unmounts what it has left mounted, and removes its files. The
   * answer has a line for each process and mount.
   */
  async clear(): Promise<string[]> {
    await until("nothing of the suite runs", () => this.#left().length === 0, PATIENCE).catch(
      () => undefined,
    );
    const left = this.#left();
    const lines = left.map((pid) => `process ${pid} was left running: ${commandOf(pid)}`);
    for (const pid of left) killIfThere(pid);
    await until("what it left has ended", () => this.#left().length === 0, PATIENCE);
    const mounts = unmountIn(this.#directory);
    rmSync(this.#directory, { recursive: true, force: true });
    return [...lines, ...mounts.map((mount) => `${mount} was left mounted`)];
  }

  /** None where the system does not tell of its processes. */
  #left(): number[] {
    if (!existsSync("/proc/self/environ")) return [];
    const marked = processesWith(this.mark);
    return [...new Set([...marked, ...processesIn(this.#directory)])];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "it has ended meanwhile";
  }
}
