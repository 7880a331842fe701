import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { payloadDirectory } from "../payload-files.ts";
import type { Store } from "../store.ts";
import { removeScratch, sqliteBackups } from "./sqlite-backup.ts";
import { sqliteCheckpoints } from "./sqlite-checkpoints.ts";
import { databaseSize, makeCompactable, sqliteDiskSpace } from "./sqlite-disk-space.ts";
import type { Database } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";
import { groupCommit } from "./sqlite-group-commit.ts";
import { largePayloads, removeOrphans } from "./sqlite-large-payloads.ts";
import { openInDirectory, refuseMoved } from "./sqlite-open.ts";
import type { Owner } from "./sqlite-owner.ts";
import { sqliteReadDeliveries } from "./sqlite-read-deliveries.ts";
import { sqliteReadJobs } from "./sqlite-read-jobs.ts";
import { sqliteReadRecords } from "./sqlite-read-records.ts";
import { sqliteReadSealed } from "./sqlite-read-sealed.ts";
import { sqliteReadStatistics } from "./sqlite-read-statistics.ts";
import { sqliteReadTimeline } from "./sqlite-read-timeline.ts";
import { payloadRemovals } from "./sqlite-removals.ts";
import { sqliteRunStep } from "./sqlite-run-step.ts";
import { sqliteTables } from "./sqlite-tables.ts";
import { sqliteUnit } from "./sqlite-unit.ts";

export interface SqliteStoreOptions {
  /** Where the data lies, held for this server alone. */
  readonly directory: string;
  /** The server that opens it; undefined opens the data of any, for tests. */
  readonly owner?: Owner | undefined;
  /** Called when the disk can no longer be trusted: the process must end and recover from what is durable. */
  readonly onFatal: (error: Error) => void;
  /** Marks the beginning and the end of each commit, for tests that kill the server inside one. */
  readonly onCommit?: ((mark: "begin" | "end") => void) | undefined;
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction?: (() => (steps: number) => void) | undefined;
  /** How heartbeats wait a little, so that many share a commit; undefined: they do not. */
  readonly after?: Clock["after"] | undefined;
}

/** One box: the store in one SQLite database, with large payloads as files beside it. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { directory, onFatal, onCommit, onTransaction } = options;
  // What is open so far: closed, the last first, when the rest cannot be opened, or else with the store.
  await using opening = new AsyncDisposableStack();
  refuseMoved(directory);
  const { database, path, close } = await openInDirectory(directory, options.owner);
  opening.defer(close);
  const files = await payloadDirectory(join(directory, "payloads"));
  opening.defer(() => files.close());
  await removeScratch(directory);
  await makeCompactable(database, path);
  removeTombstones(database);

  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  const tables = sqliteTables(database);
  await removeOrphans(files, tables.payloads.files());
  const checkpoints = sqliteCheckpoints(database, path, onFatal);
  opening.defer(() => checkpoints.close());
  const space = sqliteDiskSpace(database, path, checkpoints);
  const removals = payloadRemovals(files, onFatal);
  opening.defer(() => removals.settled());
  const backups = sqliteBackups({ directory, path, checkpoints, removals });
  opening.defer(() => backups.close());

  const large = largePayloads(files, tables.payloads);
  const unit = sqliteUnit(tables);
  const group = groupCommit({
    tables,
    unit,
    runStep: sqliteRunStep(tables, unit),
    onCommitted(committed) {
      checkpoints.committed();
      space.committed();
      for (const name of tables.payloads.takeDropped()) removals.remove(name);
      if (committed.length > 0) listener?.(committed, true);
    },
    discard: large.discardPayload,
    onFatal,
    onCommit,
    onTransaction,
    after: options.after,
  });

  const opened = opening.move();
  return {
    shared: undefined,
    backup: (order) => backups.begin(order),

    apply: group.apply,

    ...sqliteReadJobs(tables),
    ...sqliteReadTimeline(tables),
    ...sqliteReadRecords(tables),
    ...sqliteReadDeliveries(tables),
    ...sqliteReadSealed(tables),
    ...sqliteReadStatistics(tables),

    ...large,

    releaseSpace: () => space.release(),

    size: async () => databaseSize(path),

    onSignals(added) {
      listener = added;
    },

    async close() {
      await group.close();
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
