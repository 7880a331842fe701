import type { JobState } from "../../domain/transitions.ts";
import type { NewKey } from "../job-steps/job-transaction.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/** Which submissions there were, by their keys; each stays until its time is over, also without its job. */
export interface IdempotencyKeys {
  find(endpoint: string, key: string): FoundKey | undefined;
  remember(seq: number, key: NewKey): void;
  /** To be called before the row of the job goes: its last state is kept. */
  jobGoes(seq: number): void;
  /** Removes at most `limit` keys whose time is over; answers how many. */
  forget(now: number, limit: number): number;
}

interface FoundKey {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly until: number;
  /** The last state of the job; null as long as it is there. */
  readonly state: JobState | null;
}

export function sqliteIdempotency(database: Database): IdempotencyKeys {
  const select = prepare<FoundKey, [endpoint: string, key: string]>(
    database,
    "SELECT id, digest, until, state FROM idempotency WHERE endpoint = ?1 AND key = ?2",
  );
  const replace = prepare<
    never,
    [endpoint: string, key: string, id: string, job: number, digest: Uint8Array, until: number]
  >(
    database,
    `INSERT OR REPLACE INTO idempotency (endpoint, key, id, job, digest, until)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  );
  // What is removed while it waits was removed by purge-queue.
  const keepState = prepare<never, [seq: number]>(
    database,
    `UPDATE idempotency
     SET job = NULL,
         state = (SELECT iif(state = 'IN_QUEUE', 'CANCELLED', state) FROM job WHERE seq = ?1)
     WHERE job = ?1`,
  );
  const removeOver = prepare<never, [now: number, limit: number]>(
    database,
    `DELETE FROM idempotency WHERE (endpoint, key) IN (
       SELECT endpoint, key FROM idempotency WHERE until <= ?1 ORDER BY until LIMIT cast(?2 AS INTEGER)
     )`,
  );

  return {
    find: (endpoint, key) => select.get(endpoint, key) ?? undefined,
    remember(seq, { endpoint, key, id, digest, until }) {
      replace.run(endpoint, key, id, seq, digest, until);
    },
    jobGoes: (seq) => void keepState.run(seq),
    forget: (now, limit) => removeOver.run(now, limit).changes,
  };
}
