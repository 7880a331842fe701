import type { CheckpointOrder, CheckpointReport } from "./sqlite-checkpointer.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";

/** Commits between two looks at the length of the log; a look takes 6 µs. */
const COMMITS_PER_LOOK = 8;

/**
 * Pages of 4 KiB that make a checkpoint worth while: few enough to keep each short, many enough to write a
 * hot page only once.
 */
const PAGES_PER_CHECKPOINT = 2_000;

/** Under steady load the log never runs empty by itself; above this many pages the writer helps. */
const LOG_LIMIT = 4_000;

/** The writer copies so many pages itself to start the log again, unless the thread cannot keep up. */
const PAGES_TO_HELP = 1_000;

/** The writer copies so many pages itself to cut the log: an idle server still commits now and then. */
const PAGES_TO_CUT = 64;

/**
 * Keeps the write-ahead log short without stopping the writer. A checkpoint inside a commit made the slowest
 * answers, so a thread copies the log into the database. Only when the log has grown past its limit does the
 * writer copy the few pages that came in meanwhile, between two commits, and start the log again.
 */
export class Checkpoints {
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #thread: Worker;
  readonly #ended: Promise<unknown>;
  #commits = 0;
  #isRunning = false;
  #pauses = 0;
  /** Pages that the pass before left, while one pass follows another. */
  #left = Infinity;

  constructor(database: Database, path: string, onFailure: (error: Error) => void) {
    this.#statements = statementsOf(database);
    this.#thread = new Worker(new URL("./sqlite-checkpointer.ts", import.meta.url).href);
    this.#order({ order: "open", path });
    this.#ended = new Promise((resolve) => this.#thread.addEventListener("close", resolve));
    this.#thread.addEventListener("message", (event: MessageEvent<CheckpointReport>) => {
      this.#isRunning = false;
      if (this.#pauses === 0 && event.data.log > LOG_LIMIT) this.#shorten(event.data);
    });
    this.#thread.addEventListener("error", (event) => {
      onFailure(new Error(`the checkpoint thread failed: ${event.message}`));
    });
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits++;
    if (this.#isRunning || this.#pauses > 0 || this.#commits % COMMITS_PER_LOOK !== 0) return;
    if (this.#uncopied() >= PAGES_PER_CHECKPOINT) this.#begin();
  }

  /** Copies what is left in the log, and makes its file empty; false while there is something left. */
  cutLog(): boolean {
    if (this.#isRunning || this.#pauses > 0) return false;
    // The thread copies most of it; the writer copies the few pages that came since, and cuts the file.
    if (this.#uncopied() <= PAGES_TO_CUT) {
      return unlessFull(() => this.#statements.truncate.get())?.busy === 0;
    }
    this.#begin();
    return false;
  }

  /**
   * No checkpoint begins until the answer is called: while another connection reads one snapshot for long, no
   * checkpoint can start the log again.
   */
  pause(): () => void {
    this.#pauses++;
    return () => {
      this.#pauses--;
    };
  }

  /** Resolves when the thread has ended and let go of the database. */
  async close(): Promise<void> {
    this.#order({ order: "close" });
    await this.#ended;
  }

  /** Pages in the log that are not in the database yet. */
  #uncopied(): number {
    const { log, checkpointed } = this.#statements.look.get() ?? { log: 0, checkpointed: 0 };
    return log - checkpointed;
  }

  /** After a pause the first pass takes long, and much comes in meanwhile: the thread goes again. */
  #shorten({ log, checkpointed }: CheckpointReport): void {
    const rest = log - checkpointed;
    if (rest > PAGES_TO_HELP && rest < this.#left / 2) {
      this.#left = rest;
      this.#begin();
      return;
    }
    this.#left = Infinity;
    unlessFull(() => this.#statements.restart.get());
  }

  #begin(): void {
    this.#isRunning = true;
    this.#order({ order: "checkpoint" });
  }

  #order(message: CheckpointOrder): void {
    this.#thread.postMessage(message);
  }
}

function statementsOf(database: Database) {
  const restart = prepare<CheckpointReport, []>(database, "PRAGMA wal_checkpoint(RESTART)");
  const look = prepare<CheckpointReport, []>(database, "PRAGMA wal_checkpoint(NOOP)");
  const truncate = prepare<CheckpointReport & { busy: number }, []>(
    database,
    "PRAGMA wal_checkpoint(TRUNCATE)",
  );
  return { restart, look, truncate };
}
