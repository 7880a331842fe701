import type { Lane } from "./postgres-driver.ts";
import { MIGRATIONS } from "./postgres-schema.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** Held while the schema is brought up to date: of servers that start together one does it. */
const MIGRATION_LOCK = 4_070_211_001;

/** Takes the lock until the end of the transaction: no server starts on the database meanwhile. */
export const TRY_MIGRATION_LOCK = `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS free`;

/**
 * Brings the database to this version of the schema, or refuses one that a newer Forebay has written. Other
 * servers may be running.
 */
export async function migrate(lane: Lane): Promise<void> {
  await lane.query("BEGIN");
  try {
    await lane.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await applyMissing(lane);
    await lane.query("COMMIT");
  } catch (error) {
    await lane.query("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

async function applyMissing(lane: Lane): Promise<void> {
  const [present] = await lane.query("SELECT 1 FROM pg_namespace WHERE nspname = 'forebay'");
  if (present === undefined) await lane.query("CREATE SCHEMA forebay");
  await lane.query("CREATE TABLE IF NOT EXISTS forebay.schema (version integer NOT NULL)");
  const [row] = await lane.query<{ version: number }>("SELECT version FROM forebay.schema");
  const found = row?.version ?? 0;
  if (found > MIGRATIONS.length) {
    throw new OperatorFault(
      `the data was written by a newer Forebay (schema ${found}; this one knows ${MIGRATIONS.length}). ` +
        "Start that version, or restore a backup made before the upgrade.",
    );
  }
  if (found === MIGRATIONS.length) return;
  for (const migration of MIGRATIONS.slice(found)) await lane.script(migration);
  await lane.query("DELETE FROM forebay.schema");
  await lane.query(`INSERT INTO forebay.schema VALUES (${MIGRATIONS.length})`);
}
