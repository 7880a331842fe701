import type { Catcher, Member } from "../member.ts";

const STORE = "src/store/postgres";
const READ = `${STORE}/postgres-read-unit.ts`;
const WRITE = `${STORE}/postgres-write-unit.ts`;

/** Forced orders of steps on two servers. */
const orders = (test: string): Catcher => ({
  suite: "postgres",
  files: ["test/postgres/orders/orders.test.ts"],
  test,
});

const byFile = (name: string): Catcher => ({
  suite: "postgres",
  files: [`test/postgres/orders/${name}.test.ts`],
});

/** Locks, versions and repeats that keep several servers on one PostgreSQL in order. */
export const MEMBERS: readonly Member[] = [
  {
    name: "queue cap without its lock",
    breaks: "Several servers together accept no more jobs than the queue may hold",
    file: READ,
    replace: "ORDER BY endpoint FOR NO KEY UPDATE`;\n\nconst READ_FILL",
    by: "ORDER BY endpoint`;\n\nconst READ_FILL",
    caughtBy: orders("a waiting job enqueue under a cap first"),
  },
  {
    name: "endpoint not locked while a job comes",
    breaks: "An endpoint is not deleted while another server stores a job for it",
    file: READ,
    replace: "ORDER BY endpoint FOR NO KEY UPDATE`;\n\nconst MAKE_COUNTERS",
    by: "ORDER BY endpoint`;\n\nconst MAKE_COUNTERS",
    caughtBy: orders("an empty queue whose last key is over enqueue first"),
  },
  {
    name: "jobs read without a lock",
    breaks: "Two servers change one job one after the other",
    file: READ,
    replace: "  ORDER BY job.endpoint, job.id\n  FOR UPDATE OF job`;",
    by: "  ORDER BY job.endpoint, job.id`;",
    caughtBy: orders("a waiting job take by w1 first"),
  },
  {
    name: "idempotency key taken over at once",
    breaks: "One Idempotency-Key makes one job on several servers",
    file: WRITE,
    replace: "\n  WHERE idempotency.until <= $6\n",
    by: "\n  WHERE idempotency.until <= $6 OR true\n",
    caughtBy: orders('a waiting job enqueue with the key "new" first'),
  },
  {
    name: "used idempotency key not noticed",
    breaks: "One Idempotency-Key makes one job on several servers",
    file: WRITE,
    replace: "if (rows.length < keys.length) throw",
    by: "if (rows.length > keys.length) throw",
    caughtBy: orders('a waiting job enqueue with the key "new" first'),
  },
  {
    name: "commit before the key is checked",
    breaks: "A submission that another server has made already is not committed",
    file: WRITE,
    replace: "return unit.named.length > 0 || unit.newKeys.size > 0;",
    by: "return unit.named.length > 0;",
    caughtBy: orders('a waiting job enqueue with the key "new" first'),
  },
  {
    name: "cached job of another attempt",
    breaks: "A valid result counts, also if another server handed out its attempt",
    file: `${STORE}/postgres-known-rows.ts`,
    replace: "known !== undefined && known.row.attempt === step.attempt",
    by: "known !== undefined",
    caughtBy: orders("went out again to the same worker result of attempt 1"),
  },
  {
    name: "cached job without its version",
    breaks: "A result is decided by the job as it is now, not as this server has seen it last",
    file: `${STORE}/postgres-write-jobs.ts`,
    replace: "AND job.xmin = given.version RETURNING 1",
    by: "AND given.version IS NOT NULL RETURNING 1",
    caughtBy: orders("a running job result of attempt 1 by w1 first"),
  },
  {
    name: "no second try after a collision",
    breaks: "A call that collides with one of another server is repeated, not refused",
    file: `${STORE}/postgres-group-commit.ts`,
    replace: 'return failure?.kind === "collision" || failure?.kind === "stale";',
    by: 'return failure?.kind === "stale";',
    caughtBy: orders('a waiting job enqueue with the key "new" first'),
  },
  {
    name: "records written without their lock",
    breaks: "Two servers write configuration records one after the other",
    file: `${STORE}/steps/postgres-put.ts`,
    replace: "  await connection.query(RECORD_LOCK);\n",
    by: "",
    caughtBy: orders("records put of version 2 first"),
  },
  {
    name: "records removed without their lock",
    breaks: "A record is not removed while another server writes one that names it",
    file: `${STORE}/steps/postgres-remove.ts`,
    replace: "  await connection.query(RECORD_LOCK);\n",
    by: "",
    caughtBy: orders("records put of version 2 first"),
  },
  {
    name: "endpoint deleted without locking its counters",
    breaks: "An endpoint with an unfinished job is not deleted",
    file: `${STORE}/steps/postgres-remove.ts`,
    replace: "ORDER BY slot FOR UPDATE",
    by: "ORDER BY slot",
    caughtBy: orders("an empty queue whose last key is over enqueue first"),
  },
  {
    name: "claim of webhooks waits for another server",
    breaks: "Servers that deliver webhooks do not wait for each other",
    file: `${STORE}/steps/postgres-claim-deliveries.ts`,
    replace: "FOR UPDATE OF delivery SKIP LOCKED",
    by: "FOR UPDATE OF delivery",
    caughtBy: orders("a webhook that is due claim by x first"),
  },
  {
    name: "claim of webhooks without a lock",
    breaks: "Two servers do not send the same attempt of a webhook",
    file: `${STORE}/steps/postgres-claim-deliveries.ts`,
    replace: " FOR UPDATE OF delivery SKIP LOCKED",
    by: "",
    caughtBy: orders("a webhook that is due claim by x first"),
  },
  {
    name: "isolation level of the database",
    breaks: "Limits hold, whatever isolation level the database gives by default",
    file: `${STORE}/postgres-boot.ts`,
    replace: '  default_transaction_isolation: "read committed",\n',
    by: "",
    caughtBy: byFile("isolation"),
  },
  {
    name: "servers that agree on keys without a lock",
    breaks: "Servers with different secret keys do not work on one database",
    file: `${STORE}/postgres-boot.ts`,
    replace: "LOCK TABLE forebay.sealing_key IN EXCLUSIVE MODE",
    by: "LOCK TABLE forebay.sealing_key IN ACCESS SHARE MODE",
    caughtBy: byFile("boot"),
  },
  {
    name: "tables created without a lock",
    breaks: "Servers that start together create the tables once",
    file: `${STORE}/postgres-migrate.ts`,
    replace: '"SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]',
    by: '"SELECT pg_advisory_xact_lock_shared($1)", [MIGRATION_LOCK]',
    caughtBy: byFile("boot"),
  },
  {
    name: "counters made twice",
    breaks: "Two servers whose connections share a counter add to it one after the other",
    file: READ,
    replace: "ORDER BY endpoint\n  ON CONFLICT DO NOTHING`;",
    by: "ORDER BY endpoint`;",
    caughtBy: byFile("same-counters"),
  },
  {
    name: "leadership taken over too early",
    breaks: "One server at a time runs a background job",
    file: `${STORE}/postgres-shared.ts`,
    replace: "WHERE duty.server = excluded.server OR duty.until <= $3::bigint",
    by: "WHERE duty.server = excluded.server OR duty.until <= $4::bigint",
    caughtBy: byFile("shared-rows"),
  },
  {
    name: "rate limit overwritten",
    breaks: "Of two changes to a rate limit one wins, and the other is made anew",
    file: `${STORE}/postgres-shared.ts`,
    replace: "AND operation = $2 AND version = $3 - 1 RETURNING version",
    by: "AND operation = $2 AND version <= $3 RETURNING version",
    caughtBy: byFile("shared-rows"),
  },
];
