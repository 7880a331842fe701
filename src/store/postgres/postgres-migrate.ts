import { newerDataError, releaseOf } from "../schema-releases.ts";
import type { SingleConnection } from "./postgres-driver.ts";
import { sqlState } from "./postgres-failure.ts";
import { MIGRATIONS } from "./postgres-schema.ts";

/** Held while the schema is brought up to date: of servers that start together one does it. */
const MIGRATION_LOCK = 4_070_211_001;

/** Takes the lock until the end of the transaction: no server starts on the database meanwhile. */
export const TRY_MIGRATION_LOCK = `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS free`;

/** From this migration on `forebay.schema` says which migrations ran and which version a server must have. */
const TELLS_APART = 11;

/** Other servers use the tables: a migration that does not get its lock, or is in a deadlock, is repeated. */
const TRIES = 5;
const PAUSE = "SELECT pg_sleep(0.2)";

/** What a database says of its schema. */
export interface SchemaState {
  /** How many migrations it has; 0 before the first start of a server. */
  readonly migrations: number;
  /** How many of them a server must know to work on it. */
  readonly serves: number;
  /** The oldest version of Forebay that does; undefined where only servers of 0.1 have run. */
  readonly requires: string | undefined;
}

/**
 * Brings the database to this version of the schema, or to a later one that this server can work with as
 * well. Refuses one that requires a newer Forebay. Other servers may be running, so each migration is a
 * transaction of its own, which holds its locks as short as can be.
 */
export async function migrate(connection: SingleConnection): Promise<void> {
  for (;;) {
    const { migrations, serves, requires } = await inTransaction(connection, () => locked(connection));
    if (serves > MIGRATIONS.length) throw newerDataError(migrations, requires);
    if (migrations >= MIGRATIONS.length) return;
    await applyNext(connection);
  }
}

/** The state of the schema. Runs in an open transaction, until whose end no other server changes it. */
async function locked(connection: SingleConnection): Promise<SchemaState> {
  await connection.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  const [present] = await connection.query("SELECT 1 FROM pg_namespace WHERE nspname = 'forebay'");
  if (present === undefined) await connection.query("CREATE SCHEMA forebay");
  await connection.query("CREATE TABLE IF NOT EXISTS forebay.schema (version integer NOT NULL)");
  return readSchema(connection);
}

/** The columns of its row depend on who has written it. */
export async function readSchema(connection: SingleConnection): Promise<SchemaState> {
  const [row] = await connection.query<{
    version: number;
    migrations: number | null;
    requires: string | null;
  }>(
    `SELECT version, (said ->> 'migrations')::integer AS migrations, said ->> 'requires' AS requires
     FROM forebay.schema AS row, to_jsonb(row) AS said`,
  );
  const serves = row?.version ?? 0;
  return { migrations: row?.migrations ?? serves, serves, requires: row?.requires ?? undefined };
}

async function applyNext(connection: SingleConnection): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await inTransaction(connection, () => applyOne(connection));
      return;
    } catch (error) {
      if (tried === TRIES || !/^(55P03|40P01)$/.test(sqlState(error))) throw error;
      await connection.query(PAUSE);
    }
  }
}

async function applyOne(connection: SingleConnection): Promise<void> {
  const { migrations } = await locked(connection);
  const migration = MIGRATIONS[migrations];
  // Another server was faster.
  if (migration === undefined) return;
  const number = migrations + 1;
  await connection.script(migration);
  await connection.query("DELETE FROM forebay.schema");
  if (number < TELLS_APART) {
    await connection.query("INSERT INTO forebay.schema VALUES ($1)", [number]);
    return;
  }
  const serves = Math.min(number, releaseOf("postgres", number).serves);
  const values = [serves, number, releaseOf("postgres", serves).version];
  await connection.query(
    "INSERT INTO forebay.schema (version, migrations, requires) VALUES ($1, $2, $3)",
    values,
  );
}

async function inTransaction<Answer>(
  connection: SingleConnection,
  run: () => Promise<Answer>,
): Promise<Answer> {
  await connection.query("BEGIN");
  try {
    const answer = await run();
    await connection.query("COMMIT");
    return answer;
  } catch (error) {
    await connection.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
