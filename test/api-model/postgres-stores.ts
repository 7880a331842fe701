import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { PostgresDatabases } from "../support/postgres-server.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import type { OpenCrashableStore } from "./crashable-store.ts";

/** Rows that belong to nothing, and counters that a count of the jobs does not give. */
const FAULTS: readonly (readonly [what: string, text: string])[] = [
  [
    "jobs whose chunks are not those they count",
    `SELECT id FROM forebay.job
     WHERE chunks <>
       (SELECT count(*) FROM forebay.chunk WHERE chunk.endpoint = job.endpoint AND chunk.job = job.id)`,
  ],
  [
    "chunks without a job",
    `SELECT job FROM forebay.chunk
     WHERE NOT EXISTS (SELECT 1 FROM forebay.job WHERE job.endpoint = chunk.endpoint AND id = chunk.job)`,
  ],
  [
    "payloads that no row names",
    `SELECT file FROM forebay.payload WHERE named AND NOT EXISTS (
       SELECT 1 FROM forebay.job
       WHERE concat_ws(' ', body_ref, secret_ref, output_ref, error_ref, progress_ref) LIKE '%' || file || '%'
     ) AND NOT EXISTS (SELECT 1 FROM forebay.chunk WHERE ref LIKE file || '%')
       AND NOT EXISTS (SELECT 1 FROM forebay.history WHERE input_ref LIKE file || '%')`,
  ],
  [
    "endpoints with wrong counters",
    `SELECT endpoint FROM forebay.queue
     WHERE (SELECT coalesce(sum(queued), 0) FROM forebay.counter WHERE counter.endpoint = queue.endpoint)
         <> (SELECT count(*) FROM forebay.job WHERE job.endpoint = queue.endpoint AND state = 'IN_QUEUE')
        OR (SELECT coalesce(sum(running), 0) FROM forebay.counter WHERE counter.endpoint = queue.endpoint)
         <> (SELECT count(*) FROM forebay.job WHERE job.endpoint = queue.endpoint AND state = 'IN_PROGRESS')`,
  ],
];

/**
 * PostgreSQL. A crash takes the connections from the server between two commits, and what it remembers: that
 * is what `kill -9` leaves in the database. Another one opens the same database.
 */
export function postgresStores(server: () => PostgresDatabases): OpenCrashableStore {
  return async () => {
    const { url, giveBack } = await server().lendDatabase();
    const database = new URL(url).pathname.slice(1);
    let store: Store = await openPostgresStore(storeOptions(url));
    return {
      store,
      async crash() {
        await server().run(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
        );
        await store.close();
        store = await openPostgresStore(storeOptions(url));
        return store;
      },
      async end() {
        await store.close();
        const faults: string[] = [];
        for (const [what, text] of FAULTS) {
          const rows = await server().run(text, database);
          if (rows.length > 0) faults.push(`${what}: ${JSON.stringify(rows)}`);
        }
        await giveBack();
        return faults;
      },
    };
  };
}
