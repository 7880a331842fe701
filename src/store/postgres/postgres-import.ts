import type { KeptData } from "../kept-data.ts";
import { type ComparedRow, compareTallies, type TallyRow } from "../tally.ts";
import { agreeOnKeys, bootPostgres, withoutPassword } from "./postgres-boot.ts";
import { copyRows } from "./postgres-copy-rows.ts";
import { openConnection, type SingleConnection } from "./postgres-driver.ts";
import { postgresFailure } from "./postgres-failure.ts";
import { TRY_MIGRATION_LOCK } from "./postgres-migrate.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

export interface PostgresTarget {
  readonly url: string;
  /** Of the keys that the secrets of the data may be encrypted with, the newest first. */
  readonly keyDigests: readonly string[];
}

/** Counting everything, or committing it, may take so long, ms. */
const ANSWER_LIMIT = 3_600_000;

/** Reading a payload from the disk can take long, and so can reading a table without statistics. */
const SETTINGS = `
  SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0;
  SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on`;

/** A server that runs in spite of the lock above can read, but not write. */
const LOCK_TABLES = `
  LOCK TABLE forebay.record, forebay.queue, forebay.job, forebay.duty, forebay.clock IN EXCLUSIVE MODE`;

const IS_USED = `
  SELECT EXISTS (SELECT 1 FROM forebay.record) OR EXISTS (SELECT 1 FROM forebay.queue)
      OR EXISTS (SELECT 1 FROM forebay.job) OR EXISTS (SELECT 1 FROM forebay.duty)
      OR EXISTS (SELECT 1 FROM forebay.clock WHERE latest > 0) AS used`;

const TALLY = `
  SELECT '' AS endpoint, kind || ' records' AS kind, count(*)::float8 AS count
  FROM forebay.record WHERE body IS NOT NULL GROUP BY kind
  UNION ALL SELECT '', 'allocated devices', count(*) FROM forebay.allocation HAVING count(*) > 0
  UNION ALL SELECT endpoint, 'past workers', count(*) FROM forebay.past_worker GROUP BY endpoint
  UNION ALL SELECT '', 'large payloads', count(*) FROM forebay.payload WHERE named HAVING count(*) > 0
  UNION ALL SELECT '', 'bytes of large payloads', sum(octet_length(bytes))
    FROM forebay.payload_part HAVING count(*) > 0
  UNION ALL SELECT endpoint, 'jobs ' || state, count(*) FROM forebay.job GROUP BY endpoint, state
  UNION ALL SELECT endpoint, 'chunks', count(*) FROM forebay.chunk GROUP BY endpoint
  UNION ALL SELECT endpoint, 'attempts', count(*) FROM forebay.attempt GROUP BY endpoint
  UNION ALL SELECT endpoint, 'idempotency keys', count(*) FROM forebay.idempotency GROUP BY endpoint
  UNION ALL SELECT endpoint, 'webhooks ' || state, count(*) FROM forebay.delivery GROUP BY endpoint, state
  UNION ALL SELECT endpoint, 'worker contacts', count(*) FROM forebay.contact GROUP BY endpoint
  UNION ALL SELECT endpoint, 'slots of statistics', count(*) FROM forebay.statistics GROUP BY endpoint
  UNION ALL SELECT endpoint, 'records of finished jobs', count(*) FROM forebay.history GROUP BY endpoint`;

/**
 * Copies all of it into a database that has no data yet, in one transaction: it is there as a whole or not at
 * all, and no server starts on the database meanwhile. Answers what was counted on both sides. Throws a
 * sentence when it cannot be done.
 */
export async function importIntoPostgres(
  { url, keyDigests }: PostgresTarget,
  kept: KeptData,
  onRow: () => void,
): Promise<ComparedRow[]> {
  const { access, begin } = await bootPostgres(url);
  const connection = openConnection(access, ANSWER_LIMIT);
  let isEnding = false;
  try {
    await connection.script(begin);
    await connection.script(SETTINGS);
    await refuseUsed(connection, url);
    await agreeOnKeys(connection, keyDigests);
    await copyRows(connection, kept, onRow);
    const compared = compareTallies(kept.tally(), await connection.query<TallyRow>(TALLY));
    for (const { endpoint, kind, from, to } of compared) {
      if (from === to) continue;
      const what = endpoint === "" ? kind : `${kind} of the endpoint ${endpoint}`;
      throw new OperatorFault(`the copy has ${to} and not ${from} ${what}, so nothing was kept of it.`);
    }
    isEnding = true;
    await connection.query("COMMIT");
    return compared;
  } catch (error) {
    if (!isEnding) await connection.query("ROLLBACK").catch(() => undefined);
    throw explained(error, isEnding);
  } finally {
    await connection.close();
  }
}

/** Does not wait: whoever has the lock is about to use the database. */
async function refuseUsed(connection: SingleConnection, url: string): Promise<void> {
  const [lock] = await connection.query<{ free: boolean }>(TRY_MIGRATION_LOCK);
  if (lock?.free !== true) {
    throw new OperatorFault(
      "a server is starting on the database, or another copy into it is running. Stop it first.",
    );
  }
  await connection.query(LOCK_TABLES);
  const [row] = await connection.query<{ used: boolean }>(IS_USED);
  if (row?.used === false) return;
  throw new OperatorFault(
    `${withoutPassword(url)} already holds data of Forebay, and two stores cannot be joined. ` +
      "Name an empty database, or, if nothing in it is needed, DROP SCHEMA forebay CASCADE.",
  );
}

function explained(error: unknown, wasEnding: boolean): Error {
  const { kind, error: failure } = postgresFailure(error);
  if (kind === "fault") return failure;
  const said = error instanceof Error ? error.message : String(error);
  if (wasEnding) {
    const next = "Run the command again: it refuses a database that has the data.";
    return new Error(`the database did not say whether it has kept the copy (${said}). ${next}`);
  }
  const advice = kind === "refused" ? "Free some space in it" : "Check the database";
  return new Error(
    `the database gave up (${said}), so nothing was copied. ${advice}, and run the command again.`,
  );
}
