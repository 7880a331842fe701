import { hasPgbouncer } from "../support/pgbouncer.ts";
import { preparePostgres } from "../support/postgres-programs.ts";
import { prepareSuite, requireInstalled } from "../support/prepare-suite.ts";

// What the suite `postgres` needs; where nothing may be left out, PgBouncer too.
prepareSuite(() =>
  requireInstalled({
    postgresql: preparePostgres(),
    pgbouncer: process.env["CI"] !== "true" || hasPgbouncer(),
  }),
);
