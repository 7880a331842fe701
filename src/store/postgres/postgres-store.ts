import { ForebayError } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { isStored, type Payload } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import { signalsForOthers } from "../signals.ts";
import type { Answers, Step } from "../steps.ts";
import type { Store } from "../store.ts";
import { bootPostgres } from "./postgres-boot.ts";
import {
  openLane,
  openPool,
  type PostgresAccess,
  READ_ANSWER_LIMIT,
  takesWrites,
} from "./postgres-driver.ts";
import { groupCommit, type GroupCommitOptions } from "./postgres-group-commit.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { openNotices } from "./postgres-notices.ts";
import { payloads } from "./postgres-payloads.ts";
import { postgresAddresses, postgresPrimary } from "./postgres-primary.ts";
import { postgresReadJobs } from "./postgres-read-jobs.ts";
import { postgresReadRecords } from "./postgres-read-records.ts";
import { isOfMany } from "./postgres-run-step.ts";
import { postgresShared } from "./postgres-shared.ts";
import type { Committed } from "./postgres-transaction.ts";

export interface PostgresStoreOptions {
  /** Like postgres://user:password@host:5432/database; several servers as host:port,host:port. */
  readonly url: string;
  /** The same database without a pooler, for the connection that listens; empty: `url`. */
  readonly listenUrl: string;
  /**
   * Of the keys that open secrets, the newest first. All servers of a database must be able to open what one
   * has sealed: throws a sentence when a key is missing.
   */
  readonly keyDigests: readonly string[];
  readonly log: Log;
  /** Marks the beginning and the end of each commit, for tests that kill the server inside one. */
  readonly onCommit?: ((mark: "begin" | "end") => void) | undefined;
  /** Called when a transaction begins; what it answers, with its steps when they are durable. */
  readonly onTransaction?: (() => (steps: number) => void) | undefined;
}

/** Connections for transactions: while one commits, the other fills. */
const LANES = 2;

/** And for steps about many rows, for which no job is to wait. */
const LANES_OF_MANY = 1;

const READ_CONNECTIONS = 4;

/** For large payloads, which keep a connection busy for long. */
const BULK_CONNECTIONS = 2;

/** Rows of counters for an endpoint at most: each lane draws one, so that few write the same. */
const SLOTS = 1_024;

/** Many servers: the store in a PostgreSQL that they share. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { access, begin, allReadDigests } = await bootPostgres(options.url, options.keyDigests);
  let isDigested = allReadDigests;
  const reads = openPool(readingOf(access), READ_CONNECTIONS, READ_ANSWER_LIMIT);
  const bulk = openPool(relaxed(access), BULK_CONNECTIONS);
  const large = payloads(bulk);
  const lanes = [...crypto.getRandomValues(new Uint16Array(LANES + LANES_OF_MANY))].map((drawn) => ({
    lane: openLane(access),
    slot: drawn % SLOTS,
  }));
  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  const notices = await openNotices({
    access,
    listening: listeningOf(access, options),
    onSignals: (signals) => listener?.(signals, false),
    log: options.log,
  });
  const shared = {
    begin,
    isDigested: () => isDigested,
    onCommitted({ signals, named }: Committed) {
      large.named(named);
      if (signals.length === 0) return;
      listener?.(signals, true);
      notices.tell(signalsForOthers(signals));
    },
    onCommit: options.onCommit,
    onTransaction: options.onTransaction,
  } satisfies Omit<GroupCommitOptions, "lanes">;
  const group = groupCommit({ ...shared, lanes: lanes.slice(LANES_OF_MANY) });
  const groupOfMany = groupCommit({ ...shared, lanes: lanes.slice(0, LANES_OF_MANY) });

  return {
    backup: undefined,
    shared: postgresShared(reads, (allRead) => {
      isDigested = allRead;
    }),

    async apply<const Steps extends readonly Step[]>(steps: Steps, now: number) {
      try {
        // The answers stand in the order of their steps; a list cannot tell the compiler so.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        return (await (steps.some(isOfMany) ? groupOfMany : group).apply(
          steps,
          now,
        )) as unknown as Answers<Steps>;
      } catch (error) {
        const isFull = error instanceof ForebayError && error.code === "STORAGE_FULL";
        if (isFull) for (const payload of steps.flatMap(namedBy).filter(isStored)) await discard(payload);
        throw error;
      }
    },

    ...postgresReadJobs(reads),
    ...postgresReadRecords(reads),

    writePayload: large.write,
    readPayload: large.read,
    discardPayload: large.discard,

    async releaseSpace() {
      // Autovacuum does it.
    },

    async size() {
      const [row] = await orUnavailable(reads.query<{ bytes: number }>(SELECT_SIZE));
      return row?.bytes;
    },

    onSignals(added) {
      listener = added;
    },

    async close() {
      await Promise.all([group.close(), groupOfMany.close()]);
      await large.discardUnnamed().catch(() => undefined);
      await notices.close();
      await Promise.all([...lanes.map(({ lane }) => lane.close()), reads.close(), bulk.close()]);
    },
  };

  async function discard(payload: Payload): Promise<void> {
    // What cannot be removed now is found later: no row names it.
    await large.discard(payload).catch(() => undefined);
  }
}

const SELECT_SIZE = "SELECT pg_database_size(current_database())::float8 AS bytes";

/** A read may take this long. */
const READ_LIMIT = "10s";

function readingOf(access: PostgresAccess): PostgresAccess {
  if (!access.isPrepared) return access;
  return { ...access, settings: { ...access.settings, statement_timeout: READ_LIMIT } };
}

/**
 * The commit of a payload waits for no disk and no standby: the one that names it comes later, and waits for
 * all that came before.
 */
function relaxed(access: PostgresAccess): PostgresAccess {
  if (!access.isPrepared) return access;
  return { ...access, settings: { ...access.settings, synchronous_commit: "off" } };
}

/** Notifications do not come through a pooler. */
function listeningOf(
  access: PostgresAccess,
  { listenUrl, log }: PostgresStoreOptions,
): PostgresAccess | undefined {
  if (listenUrl !== "") {
    const primary = postgresPrimary(postgresAddresses(listenUrl), takesWrites);
    return { primary, settings: { application_name: "forebay" }, isPrepared: true };
  }
  if (access.isPrepared) return access;
  log.warn("the database is behind a pooler: without FOREBAY_DATABASE_LISTEN_URL other servers are polled");
  return undefined;
}
