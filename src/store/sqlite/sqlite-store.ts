import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { payloadDirectory, type PayloadFiles } from "../payload-files.ts";
import type { Store } from "../store.ts";
import { removeScratch, sqliteBackups } from "./sqlite-backup.ts";
import { Checkpoints } from "./sqlite-checkpoints.ts";
import { databaseSize, makeCompactable, sqliteDiskSpace } from "./sqlite-disk-space.ts";
import type { Database } from "./sqlite-driver.ts";
import { unlessFull } from "./sqlite-failure.ts";
import { groupCommit } from "./sqlite-group-commit.ts";
import { largePayloads, removeOrphans } from "./sqlite-large-payloads.ts";
import { openInDirectory, refuseMoved } from "./sqlite-open.ts";
import type { Owner } from "./sqlite-owner.ts";
import { sqliteReadDeliveries } from "./sqlite-read-deliveries.ts";
import { sqliteReadHistory } from "./sqlite-read-history.ts";
import { sqliteReadJobs } from "./sqlite-read-jobs.ts";
import { sqliteReadRecords } from "./sqlite-read-records.ts";
import { sqliteReadSealed } from "./sqlite-read-sealed.ts";
import { sqliteReadStatistics } from "./sqlite-read-statistics.ts";
import { sqliteReadTimeline } from "./sqlite-read-timeline.ts";
import { payloadRemovals } from "./sqlite-removals.ts";
import { sqliteRunStep } from "./sqlite-run-step.ts";
import { sqliteTables, type Tables } from "./sqlite-tables.ts";
import { TrackedJobs } from "./sqlite-tracked-jobs.ts";

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

/** The store for one server: one SQLite database, with large payloads in files. */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { onFatal, onCommit, onTransaction, after } = options;
  // What is open so far: closed, the last first, when the rest cannot be opened, or else with the store.
  await using opening = new AsyncDisposableStack();
  const data = await openData(options, opening);
  const tables = sqliteTables(data.database);
  await removeOrphans(data.files, tables.payloads.files());
  const { checkpoints, space, removals, backups } = startMaintenance(options, data, opening);

  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  const large = largePayloads(data.files, tables.payloads);
  const jobs = new TrackedJobs(tables);
  const group = groupCommit({
    tables,
    jobs,
    runStep: sqliteRunStep(tables, jobs),
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
    after,
  });

  const opened = opening.move();
  return {
    shared: undefined,
    backup: (order) => backups.begin(order),

    apply: group.apply,

    ...readsOf(tables),
    ...large,

    releaseSpace: () => space.release(),

    size: async () => databaseSize(data.path),

    onSignals(added) {
      listener = added;
    },

    async close() {
      await group.close();
      await opened.disposeAsync();
    },
  };
}

interface SqliteData {
  readonly database: Database;
  readonly path: string;
  /** Large payloads. */
  readonly files: PayloadFiles;
}

async function openData(
  { directory, owner }: SqliteStoreOptions,
  opening: AsyncDisposableStack,
): Promise<SqliteData> {
  refuseMoved(directory);
  const { database, path, close } = await openInDirectory(directory, owner);
  opening.defer(close);
  const files = await payloadDirectory(join(directory, "payloads"));
  opening.defer(() => files.close());
  await removeScratch(directory);
  await makeCompactable(database, path);
  removeTombstones(database);
  return { database, path, files };
}

/** What goes on between the commits: checkpoints, free disk space, deletion of files, backups. */
function startMaintenance(
  { directory, onFatal }: SqliteStoreOptions,
  { database, path, files }: SqliteData,
  opening: AsyncDisposableStack,
) {
  const checkpoints = new Checkpoints(database, path, onFatal);
  opening.defer(() => checkpoints.close());
  const space = sqliteDiskSpace(database, path, checkpoints);
  const removals = payloadRemovals(files, onFatal);
  opening.defer(() => removals.settled());
  const backups = sqliteBackups({ directory, path, checkpoints, removals });
  opening.defer(() => backups.close());
  return { checkpoints, space, removals, backups };
}

function readsOf(tables: Tables) {
  return {
    ...sqliteReadJobs(tables),
    ...sqliteReadTimeline(tables),
    ...sqliteReadRecords(tables),
    ...sqliteReadDeliveries(tables),
    ...sqliteReadHistory(tables),
    ...sqliteReadSealed(tables),
    ...sqliteReadStatistics(tables),
  };
}

/**
 * The rows of removed records tell the copies of the configuration that they were removed. No copy is older
 * than this start. Only the newest row stays, because change numbers go on from it.
 */
function removeTombstones(database: Database): void {
  unlessFull(() =>
    database.run("DELETE FROM record WHERE body IS NULL AND change < (SELECT max(change) FROM record)"),
  );
}
