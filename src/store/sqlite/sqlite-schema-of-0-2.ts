import { ALLOCATION_TABLE } from "./sqlite-allocations.ts";
import type { Database } from "./sqlite-driver.ts";
import { HISTORY_TABLES } from "./sqlite-history.ts";
import { NEW_CHUNK_TABLE } from "./sqlite-new-chunks.ts";
import { PAST_WORKER_TABLE } from "./sqlite-past-workers.ts";
import { uncheckJobs } from "./sqlite-unchecked-jobs.ts";

/** SQL, or what cannot be said in SQL. */
export type Migration = string | ((database: Database) => void);

/** The migrations that version 0.2 adds. */
export const MIGRATIONS_OF_0_2: readonly Migration[] = [
  `
  -- the id of the server whose data this is, one row: a copy in another directory is not served unasked
  CREATE TABLE owner (server TEXT NOT NULL) STRICT;
  `,
  `
  -- Payloads carry a digest from here on (decision 0031), which an older Forebay would take for their bytes.
  SELECT 1;
  `,
  `
  -- Decision 0033. Only ids of workers that share a token have a dash; these show again that they ping.
  ALTER TABLE contact ADD COLUMN pings INTEGER NOT NULL DEFAULT 0;
  UPDATE contact SET pings = 1 WHERE instr(worker, '-') = 0;
  -- 1 since its last open call was aborted, until it makes another call than a ping
  ALTER TABLE contact ADD COLUMN hung_up INTEGER;
  -- a job that its pings list and that it does not run; '' for none
  ALTER TABLE contact ADD COLUMN stray_job TEXT;
  ALTER TABLE contact ADD COLUMN stray_since INTEGER;
  `,
  `
  -- one row: the oldest version of Forebay that opens this data
  CREATE TABLE required (version TEXT NOT NULL) STRICT;
  `,
  uncheckJobs,
  NEW_CHUNK_TABLE,
  ALLOCATION_TABLE,
  PAST_WORKER_TABLE,
  HISTORY_TABLES,
];
