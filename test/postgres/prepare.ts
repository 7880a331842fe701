import { hasPgbouncer } from "../support/pgbouncer.ts";
import { preparePostgres } from "../support/postgres-programs.ts";

// What the suite `postgres` needs; where nothing may be left out, PgBouncer too.
const missing = [
  ...(preparePostgres() ? [] : ["postgresql"]),
  ...(process.env["CI"] === "true" && !hasPgbouncer() ? ["pgbouncer"] : []),
];
if (missing.length > 0) {
  process.stderr.write(`not installed: ${missing.join(", ")} (Debian: apt-get install)\n`);
  process.exit(1);
}
