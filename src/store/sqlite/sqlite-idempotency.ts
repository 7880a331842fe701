import type { JobState } from "../../domain/transitions.ts";
import type { EarlierSubmission, Idempotency } from "../enqueue-step.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/** Which submissions there were, by their keys; each stays until its time is over, also without its job. */
export interface IdempotencyKeys {
  find(endpoint: string, key: string, now: number): EarlierSubmission | undefined;
  remember(endpoint: string, job: { seq: number; id: string }, idempotency: Idempotency): void;
  /** To be called before the row of the job goes: its last state is kept. */
  jobGoes(seq: number): void;
  /** Removes at most `limit` keys whose time is over; answers how many. */
  forget(now: number, limit: number): number;
}

interface Row {
  readonly id: string;
  readonly digest: Uint8Array;
  readonly state: JobState;
}

export function sqliteIdempotency(database: Database): IdempotencyKeys {
  const select = prepare<Row, [endpoint: string, key: string, now: number]>(
    database,
    `SELECT idempotency.id, digest, coalesce(job.state, idempotency.state) AS state
     FROM idempotency LEFT JOIN job ON job.seq = idempotency.job
     WHERE idempotency.endpoint = ?1 AND key = ?2 AND until > ?3`,
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
    find: (endpoint, key, now) => select.get(endpoint, key, now) ?? undefined,
    remember(endpoint, { seq, id }, { key, digest, until }) {
      replace.run(endpoint, key, id, seq, digest, until);
    },
    jobGoes: (seq) => void keepState.run(seq),
    forget: (now, limit) => removeOver.run(now, limit).changes,
  };
}
