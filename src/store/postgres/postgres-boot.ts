import type { PostgresAccess, SingleConnection } from "./postgres-driver.ts";
import { openConnection, takesWrites } from "./postgres-driver.ts";
import { PostgresUnavailable, sqlState } from "./postgres-failure.ts";
import { postgresAddresses, postgresPrimary } from "./postgres-primary.ts";
import { migrate } from "./postgres-migrate.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** A migration of a large table takes minutes, ms. The database has answered before. */
const UPGRADE_LIMIT = 24 * 3_600_000;

/** PostgreSQL 15. */
const OLDEST_VERSION = 150_000;

/**
 * The settings of each connection. There is no limit on statements: it would end the wait of a COMMIT for a
 * synchronous standby, and PostgreSQL would then say that it is committed, which a fail-over can undo. The
 * planner must use the indexes: on tables without statistics yet, its own choice was measured two to five
 * times slower. A standby refuses a connection that must write, so that nothing is ever read from one,
 * whichever server an address leads to. Transactions read what others committed while they waited for a lock.
 * Only "read committed" shows that, and a database can have another default.
 */
const SETTINGS = {
  application_name: "forebay",
  default_transaction_isolation: "read committed",
  transaction_read_only: "off",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "10s",
  synchronous_commit: "on",
  jit: "off",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
} as const;

/** The same for one transaction, if there is a pooler. */
const BEGIN_WITH_SETTINGS = [
  "BEGIN ISOLATION LEVEL READ COMMITTED",
  ...Object.entries(SETTINGS)
    .filter(([name]) => name !== "application_name" && name !== "default_transaction_isolation")
    .map(([name, value]) => `SET LOCAL ${name} = '${value}'`),
].join("; ");

const MUST_BE_ON = ["fsync", "full_page_writes", "synchronous_commit"] as const;

export interface BootedPostgres {
  readonly access: PostgresAccess;
  /** What begins a transaction. */
  readonly begin: string;
  /** Whether no server of version 0.1 is known: it would read a digest as a part of the payload. */
  readonly allReadDigests: boolean;
}

const ALL_READ_DIGESTS = `
  SELECT NOT EXISTS (SELECT 1 FROM forebay.server WHERE NOT reads_digests) AS "allReadDigests"`;

/**
 * Finds out how to connect to the database, checks that it keeps what it acknowledges, and updates its
 * schema. With `keyDigests` the server must have every key that is needed. Throws one sentence that says what
 * is wrong and what to do.
 */
export async function bootPostgres(url: string, keyDigests?: readonly string[]): Promise<BootedPostgres> {
  const access = await postgresAccess(url);
  const connection = openConnection(access);
  let allReadDigests = false;
  try {
    await checkServer(connection);
    await upgrade(access);
    const [servers] = await connection.query<{ allReadDigests: boolean }>(ALL_READ_DIGESTS);
    allReadDigests = servers?.allReadDigests === true;
    if (keyDigests !== undefined) await inTransaction(connection, () => agreeOnKeys(connection, keyDigests));
  } catch (error) {
    throw explained(error, url);
  } finally {
    await connection.close();
  }
  return { access, begin: access.isPrepared ? "BEGIN" : BEGIN_WITH_SETTINGS, allReadDigests };
}

async function upgrade(access: PostgresAccess): Promise<void> {
  const connection = openConnection(access, UPGRADE_LIMIT);
  try {
    await migrate(connection);
  } finally {
    await connection.close();
  }
}

/** How to connect to the database. Throws one sentence that says what is wrong and what to do. */
export async function postgresAccess(url: string): Promise<PostgresAccess> {
  const primary = postgresPrimary(postgresAddresses(url), takesWrites);
  const direct: PostgresAccess = { primary, settings: SETTINGS, isPrepared: true };
  const pooled: PostgresAccess = { primary, settings: {}, isPrepared: false };
  return (await isPooled(direct, url)) ? pooled : direct;
}

/**
 * A pooler of transactions gives each transaction another connection, so that settings and prepared
 * statements get lost. It refuses the settings, or swallows them.
 */
async function isPooled(access: PostgresAccess, url: string): Promise<boolean> {
  const connection = openConnection(access);
  try {
    const [row] = await connection.query<{ limit: string }>(
      "SELECT current_setting('lock_timeout') AS limit",
    );
    return row?.limit !== SETTINGS.lock_timeout;
  } catch (error) {
    if (/unsupported startup parameter/.test(String(error))) return true;
    throw explained(error, url);
  } finally {
    await connection.close();
  }
}

interface ServerState {
  readonly version: number;
  readonly standby: boolean;
  readonly readonly: string;
}

/** Throws a sentence when the database is too old, or may lose what it has acknowledged. */
export async function checkServer(connection: SingleConnection): Promise<void> {
  const [state] = await connection.query<ServerState>(
    `SELECT current_setting('server_version_num')::integer AS version, pg_is_in_recovery() AS standby,
            current_setting('default_transaction_read_only') AS readonly`,
  );
  if (state === undefined) throw new Error("the database said nothing about itself");
  if (state.version < OLDEST_VERSION) {
    const version = Math.floor(state.version / 10_000);
    throw new OperatorFault(`PostgreSQL ${version} is too old: Forebay requires 15 or newer`);
  }
  if (state.standby || state.readonly === "on") {
    throw new OperatorFault(`the database is read-only, as a standby is. ${GIVE_PRIMARY}`);
  }
  for (const name of MUST_BE_ON) {
    const [row] = await connection.query<{ value: string }>("SELECT current_setting($1) AS value", [name]);
    if (!["on", "remote_apply", "remote_write"].includes(row?.value ?? "")) {
      throw new OperatorFault(
        `the database runs with ${name} = ${row?.value}, so it may lose what it has acknowledged: ` +
          `set ${name} = on`,
      );
    }
  }
}

/**
 * All servers must be able to decrypt what one has encrypted. `digests` are those of the keys of this server,
 * the newest first. Runs in an open transaction.
 */
export async function agreeOnKeys(connection: SingleConnection, digests: readonly string[]): Promise<void> {
  const [newest = ""] = digests;
  await connection.query("LOCK TABLE forebay.sealing_key IN EXCLUSIVE MODE");
  const needed = await connection.query<{ digest: string }>("SELECT digest FROM forebay.sealing_key");
  if (!needed.every(({ digest }) => digests.includes(digest))) {
    throw new OperatorFault(
      "the secrets in this database are encrypted with another key than this server has: " +
        "give every server the same FOREBAY_SECRET_KEY, or a copy of the key file of the first",
    );
  }
  await connection.query("INSERT INTO forebay.sealing_key VALUES ($1) ON CONFLICT DO NOTHING", [newest]);
  await connection.query("INSERT INTO forebay.secret_key (digest) VALUES ($1) ON CONFLICT DO NOTHING", [
    newest,
  ]);
}

async function inTransaction(connection: SingleConnection, run: () => Promise<void>): Promise<void> {
  await connection.query("BEGIN");
  try {
    await run();
    await connection.query("COMMIT");
  } catch (error) {
    await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** What a user can do about an error of the first connection. */
export function explained(error: unknown, url: string): Error {
  const where = withoutPassword(url);
  const said = error instanceof Error ? error.message : String(error);
  const advice = ADVICE.find(([states]) => states.test(sqlState(error)))?.[1];
  if (advice !== undefined) return new OperatorFault(`${where}: ${said}. ${advice}`, { cause: error });
  if (error instanceof PostgresUnavailable)
    return new OperatorFault(`${where}: ${said}. ${GIVE_PRIMARY}`, { cause: error });
  const isDriver = /ERR_POSTGRES/.test(codeOf(error)) && sqlState(error) === "";
  if (isDriver && /SSL|TLS|certificate/i.test(said)) {
    return new OperatorFault(
      `${where}: the connection cannot be encrypted as the URL asks (${said}). ` +
        "Check sslmode in the database URL, and the certificate of the database.",
      { cause: error },
    );
  }
  if (!isDriver) return error instanceof Error ? error : new Error(said);
  return new OperatorFault(
    `${where}: the database cannot be reached (${said}). Check that it runs, and its host and port.`,
    { cause: error },
  );
}

const GIVE_PRIMARY = "Give the URL of the primary, or the hosts of all servers in one URL.";

const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^28/, "Check the user and the password in the database URL."],
  [/^3D000/, "Create the database, or correct its name in the URL."],
  [/^42501/, "Allow the user to create a schema (GRANT CREATE ON DATABASE). It then owns it."],
  [/^25001/, `It is read-only, as a standby is. ${GIVE_PRIMARY}`],
  [/^53300/, "The database has no free connection. Raise max_connections, or close other connections."],
  [/^55P03/, "A server or forebay migrate-store is changing its tables. Try again when that has finished."],
  [/^57P03/, "The database is starting or stopping. Try again in a moment."],
];

function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
}

/** The URL as it may stand in a log. */
export function withoutPassword(url: string): string {
  return url.replace(/^([^:]+:\/\/)(?:[^@/]*@)?([^?]*).*$/, "$1$2");
}
