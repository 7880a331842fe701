import { ForebayError } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { isStored } from "../../domain/payload.ts";
import { namedBy } from "../named-payloads.ts";
import { signalsForOthers } from "../signals.ts";
import type { Answers, Step } from "../steps.ts";
import type { Store } from "../store.ts";
import { bootPostgres } from "./postgres-boot.ts";
import {
  openConnection,
  openPool,
  type Pool,
  type PostgresAccess,
  READ_ANSWER_LIMIT,
  takesWrites,
} from "./postgres-driver.ts";
import { GroupCommit, type GroupCommitOptions } from "./postgres-group-commit.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { openNotices } from "./postgres-notices.ts";
import { type Payloads, payloads } from "./postgres-payloads.ts";
import { postgresAddresses, postgresPrimary } from "./postgres-primary.ts";
import { postgresReadDeliveries } from "./postgres-read-deliveries.ts";
import { postgresReadHistory } from "./postgres-read-history.ts";
import { postgresReadJobs } from "./postgres-read-jobs.ts";
import { postgresReadRecords } from "./postgres-read-records.ts";
import { isOfMany, type StepAnswer } from "./postgres-run-step.ts";
import { postgresShared } from "./postgres-shared.ts";

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
const CONNECTIONS = 2;

/** And for steps about many rows, for which no job is to wait. */
const CONNECTIONS_OF_MANY = 1;

const READ_CONNECTIONS = 4;

/** For large payloads, which keep a connection busy for long. */
const BULK_CONNECTIONS = 2;

/** Rows of counters for an endpoint at most: each connection draws one, so that few write the same. */
const SLOTS = 1_024;

/** The store for several servers, in the PostgreSQL that they share. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { access, begin, allReadDigests } = await bootPostgres(options.url, options.keyDigests);
  let isDigested = allReadDigests;
  const reads = openPool(readingOf(access), READ_CONNECTIONS, READ_ANSWER_LIMIT);
  const bulk = openPool(relaxed(access), BULK_CONNECTIONS);
  const large = payloads(bulk);
  let listener: Parameters<Store["onSignals"]>[0] | undefined;
  const notices = await openNotices({
    access,
    listening: listeningOf(access, options),
    onSignals: (signals) => listener?.(signals, false),
    log: options.log,
  });
  const commits = openCommits(access, {
    begin,
    isDigested: () => isDigested,
    onCommitted({ signals, named }) {
      large.named(named);
      if (signals.length === 0) return;
      listener?.(signals, true);
      notices.notify(signalsForOthers(signals));
    },
    onCommit: options.onCommit,
    onTransaction: options.onTransaction,
  });

  return {
    backup: undefined,
    shared: postgresShared(reads, (allRead) => {
      isDigested = allRead;
    }),

    apply<const Steps extends readonly Step[]>(steps: Steps, now: number) {
      const answers = orDiscard(commits.apply(steps, now), steps, large);
      // The answers stand in the order of their steps; a list cannot tell the compiler so.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return answers as unknown as Promise<Answers<Steps>>;
    },

    ...readsOf(reads),
    writePayload: large.write,
    readPayload: large.read,
    discardPayload: large.discard,

    // Autovacuum does it.
    releaseSpace: async () => undefined,
    size: () => databaseSize(reads),

    onSignals(added) {
      listener = added;
    },

    async close() {
      await commits.finish();
      await large.discardUnnamed().catch(() => undefined);
      await notices.close();
      await Promise.all([commits.close(), reads.close(), bulk.close()]);
    },
  };
}

/** Commits steps. Steps about many rows have a connection of their own. */
function openCommits(access: PostgresAccess, options: Omit<GroupCommitOptions, "connections">) {
  const drawn = crypto.getRandomValues(new Uint16Array(CONNECTIONS + CONNECTIONS_OF_MANY));
  const all = [...drawn].map((slot) => ({ connection: openConnection(access), slot: slot % SLOTS }));
  const group = new GroupCommit({ ...options, connections: all.slice(CONNECTIONS_OF_MANY) });
  const groupOfMany = new GroupCommit({ ...options, connections: all.slice(0, CONNECTIONS_OF_MANY) });

  return {
    apply: (steps: readonly Step[], now: number) =>
      (steps.some(isOfMany) ? groupOfMany : group).apply(steps, now),

    /** Takes no further call, and resolves when every call so far has its answer. */
    async finish(): Promise<void> {
      await Promise.all([group.close(), groupOfMany.close()]);
    },

    async close(): Promise<void> {
      await Promise.all(all.map(({ connection }) => connection.close()));
    },
  };
}

/** The answers. If there is no room, the payloads that the steps name go. */
async function orDiscard(
  answers: Promise<StepAnswer[]>,
  steps: readonly Step[],
  large: Payloads,
): Promise<StepAnswer[]> {
  try {
    return await answers;
  } catch (error) {
    const isFull = error instanceof ForebayError && error.code === "STORAGE_FULL";
    const named = isFull ? steps.flatMap(namedBy).filter(isStored) : [];
    // What cannot be removed now is found later: no row names it.
    for (const payload of named) await large.discard(payload).catch(() => undefined);
    throw error;
  }
}

function readsOf(pool: Pool) {
  return {
    ...postgresReadJobs(pool),
    ...postgresReadRecords(pool),
    ...postgresReadDeliveries(pool),
    ...postgresReadHistory(pool),
  };
}

const SELECT_SIZE = "SELECT pg_database_size(current_database())::float8 AS bytes";

async function databaseSize(pool: Pool): Promise<number | undefined> {
  const [row] = await orUnavailable(pool.query<{ bytes: number }>(SELECT_SIZE));
  return row?.bytes;
}

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
