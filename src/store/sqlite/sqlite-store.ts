import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { ForebayError } from "../../domain/errors.ts";
import { isStored, PAYLOAD_INLINE_LIMIT } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import { payloadDirectory, type PayloadFiles, payloadMemory } from "../payload-files.ts";
import type { Answers, Step } from "../steps.ts";
import type { Signal, Store } from "../store.ts";
import { type Checkpoints, sqliteCheckpoints } from "./sqlite-checkpoints.ts";
import { counters } from "./sqlite-counters.ts";
import { makeCompactable, sqliteDiskSpace } from "./sqlite-disk-space.ts";
import { closeDatabase, type Database, openDatabase } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";
import { groupCommit } from "./sqlite-group-commit.ts";
import { lockDirectory } from "./sqlite-lock.ts";
import { refuseMoved } from "./sqlite-moved.ts";
import { payloads } from "./sqlite-payloads.ts";
import { sqliteReadDeliveries } from "./sqlite-read-deliveries.ts";
import { sqliteReadJobs } from "./sqlite-read-jobs.ts";
import { sqliteReadRecords } from "./sqlite-read-records.ts";
import { sqliteReadSealed } from "./sqlite-read-sealed.ts";
import { sqliteReadStatistics } from "./sqlite-read-statistics.ts";
import { sqliteReadTimeline } from "./sqlite-read-timeline.ts";
import { sqliteRunStep } from "./sqlite-run-step.ts";
import { migrate } from "./sqlite-schema.ts";
import type { Tables } from "./sqlite-tables.ts";

export interface SqliteStoreOptions {
  /** Where the data lies; undefined keeps it in memory, for tests. */
  readonly directory: string | undefined;
  /** Called when the disk can no longer be trusted: the process must end and recover from what is durable. */
  readonly onFatal: (error: Error) => void;
  /** Marks the beginning and the end of each commit, for tests that kill the server inside one. */
  readonly onCommit?: ((mark: "begin" | "end") => void) | undefined;
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction?: (() => (steps: number) => void) | undefined;
}

const LOCKED_ADVICE = "Stop it first, or give this one a directory of its own with --data.";

/** One box: the store in one SQLite database, with large payloads as files beside it. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { directory, onFatal, onCommit, onTransaction } = options;
  // What is open so far: closed, the last first, when the rest cannot be opened, or else with the store.
  await using opening = new AsyncDisposableStack();
  if (directory !== undefined) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    opening.defer(lockDirectory(join(directory, "lock.db"), directory, LOCKED_ADVICE));
    refuseMoved(directory);
  }
  const path = directory === undefined ? ":memory:" : join(directory, "forebay.db");
  const files =
    directory === undefined ? payloadMemory() : await payloadDirectory(join(directory, "payloads"));
  const database = openDatabase(path);
  opening.defer(() => closeDatabase(database));
  migrate(database);
  if (directory !== undefined) await makeCompactable(database, path);
  removeTombstones(database);

  let signals: Signal[] = [];
  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  const tables: Tables = {
    database,
    payloads: payloads(database),
    counters: counters(database),
    signal: (event, endpoint, id, worker, details) =>
      signals.push({ event, endpoint, id, worker, ...details }),
  };
  await removeOrphans(files, tables.payloads.files());
  const checkpoints: Checkpoints | undefined =
    directory === undefined ? undefined : sqliteCheckpoints(database, path, onFatal);
  opening.defer(async () => checkpoints?.close());
  const space = checkpoints && sqliteDiskSpace(database, path, checkpoints);
  const removals = new Set<Promise<void>>();
  opening.defer(async () => {
    await Promise.all(removals);
  });

  const group = groupCommit({
    tables,
    runStep: sqliteRunStep(tables),
    takeSignals() {
      const taken = signals;
      signals = [];
      return taken;
    },
    onCommitted(committed) {
      checkpoints?.committed();
      space?.committed();
      for (const name of tables.payloads.takeDropped()) {
        const removal = files.remove(name).catch(onFatal);
        removals.add(removal);
        void removal.finally(() => removals.delete(removal));
      }
      if (committed.length > 0) listener?.(committed, true);
    },
    onFatal,
    onCommit,
    onTransaction,
  });

  const opened = opening.move();
  return {
    shared: undefined,

    async apply<const Steps extends readonly Step[]>(steps: Steps, now: number) {
      try {
        // The answers stand in the order of their steps; a list cannot tell the compiler so.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return (await group.apply(steps, now)) as unknown as Answers<Steps>;
      } catch (error) {
        const isFull = error instanceof ForebayError && error.code === "STORAGE_FULL";
        if (isFull) for (const { file } of steps.flatMap(namedBy).filter(isStored)) await files.remove(file);
        throw error;
      }
    },

    ...sqliteReadJobs(tables),
    ...sqliteReadTimeline(tables),
    ...sqliteReadRecords(tables),
    ...sqliteReadDeliveries(tables),
    ...sqliteReadSealed(tables),
    ...sqliteReadStatistics(tables),

    async writePayload(bytes) {
      if (bytes.length <= PAYLOAD_INLINE_LIMIT) return bytes;
      const file = crypto.randomUUID();
      await files.write(file, bytes);
      return { file, size: bytes.length };
    },

    async readPayload(payload) {
      if (!isStored(payload)) return payload;
      const bytes = await files.read(payload.file);
      if (bytes.length === payload.size) return bytes;
      throw new Error(`payload ${payload.file} has ${bytes.length} bytes on the disk, not ${payload.size}`);
    },

    async discardPayload(payload) {
      if (isStored(payload)) await files.remove(payload.file);
    },

    async releaseSpace() {
      await space?.release();
    },

    onSignals(added) {
      listener = added;
    },

    async close() {
      await group.settled();
      await opened.disposeAsync();
    },
  };
}

/**
 * The row of a removed record tells the copies of the configuration that there are of its removal. None is
 * older than this opening; only the newest row stays, because change numbers go on from it.
 */
function removeTombstones(database: Database): void {
  unlessFull(() =>
    database.run("DELETE FROM record WHERE body IS NULL AND change < (SELECT max(change) FROM record)"),
  );
}

/**
 * Files that no row names: written for a step that a crash kept from happening, or left by a job that is
 * gone.
 */
async function removeOrphans(files: PayloadFiles, named: Set<string>): Promise<void> {
  for (const name of await files.list()) if (!named.has(name)) await files.remove(name);
}
