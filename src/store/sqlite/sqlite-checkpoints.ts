import type { CheckpointOrder, CheckpointReport } from "./sqlite-checkpointer.ts";
import { type Database, prepare } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";

export interface Checkpoints {
  /** To be called after each commit. */
  committed(): void;
  /** Copies what is left in the log, and makes its file empty; false while there is something left. */
  cutLog(): boolean;
  /**
   * No checkpoint begins until the answer is called: while another connection reads one snapshot for long,
   * none can start the log anew.
   */
  pause(): () => void;
  /** Resolves when the thread has ended and let go of the database. */
  close(): Promise<void>;
}

/** Commits between two looks at the length of the log; a look takes 6 µs. */
const COMMITS_PER_LOOK = 8;

/**
 * Pages of 4 KiB that make a checkpoint worth while: few enough to keep each short, many enough to write a
 * hot page only once.
 */
const PAGES_PER_CHECKPOINT = 2_000;

/** Under steady load the log never runs empty by itself; above this many pages the writer helps. */
const LOG_LIMIT = 4_000;

/** So many pages the writer copies itself to start the log anew, unless the thread cannot keep up. */
const PAGES_TO_HELP = 1_000;

/** So many pages the writer copies itself to cut the log: a server that rests still commits now and then. */
const PAGES_TO_CUT = 64;

/**
 * Keeps the write-ahead log short without stopping the writer. A checkpoint inside a commit was seen to
 * decide the slowest answers, so a thread copies the log into the database beside it. Only when the log has
 * grown past its limit does the writer copy the few pages that came in meanwhile, between two commits, and
 * start the log anew.
 */
export function sqliteCheckpoints(
  database: Database,
  path: string,
  onFailure: (error: Error) => void,
): Checkpoints {
  const restart = prepare<CheckpointReport, []>(database, "PRAGMA wal_checkpoint(RESTART)");
  const look = prepare<CheckpointReport, []>(database, "PRAGMA wal_checkpoint(NOOP)");
  const truncate = prepare<CheckpointReport & { busy: number }, []>(
    database,
    "PRAGMA wal_checkpoint(TRUNCATE)",
  );
  const thread = new Worker(new URL("./sqlite-checkpointer.ts", import.meta.url).href);
  order({ order: "open", path });
  const ended = new Promise((resolve) => thread.addEventListener("close", resolve));
  let commits = 0;
  let isRunning = false;
  let pauses = 0;
  /** Pages that the pass before left, while one pass follows another. */
  let left = Infinity;

  thread.addEventListener("message", (event: MessageEvent<CheckpointReport>) => {
    isRunning = false;
    if (pauses === 0 && event.data.log > LOG_LIMIT) shorten(event.data);
  });
  thread.addEventListener("error", (event) => {
    onFailure(new Error(`the checkpoint thread failed: ${event.message}`));
  });

  return {
    committed() {
      commits++;
      if (isRunning || pauses > 0 || commits % COMMITS_PER_LOOK !== 0) return;
      const { log, checkpointed } = look.get() ?? { log: 0, checkpointed: 0 };
      if (log - checkpointed < PAGES_PER_CHECKPOINT) return;
      begin();
    },

    cutLog() {
      if (isRunning || pauses > 0) return false;
      const { log, checkpointed } = look.get() ?? { log: 0, checkpointed: 0 };
      // The thread copies most of it; the writer copies the few pages that came since, and cuts the file.
      if (log - checkpointed <= PAGES_TO_CUT) return unlessFull(() => truncate.get())?.busy === 0;
      begin();
      return false;
    },

    pause() {
      pauses++;
      return () => {
        pauses--;
      };
    },

    async close() {
      order({ order: "close" });
      await ended;
    },
  };

  /** After a pause the first pass takes long, and much comes in meanwhile: the thread goes again. */
  function shorten({ log, checkpointed }: CheckpointReport): void {
    const rest = log - checkpointed;
    if (rest > PAGES_TO_HELP && rest < left / 2) {
      left = rest;
      begin();
      return;
    }
    left = Infinity;
    unlessFull(() => restart.get());
  }

  function begin(): void {
    isRunning = true;
    order({ order: "checkpoint" });
  }

  function order(message: CheckpointOrder): void {
    thread.postMessage(message);
  }
}
