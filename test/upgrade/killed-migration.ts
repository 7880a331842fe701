import { Database, type SQLQueryBindings } from "bun:sqlite";
import { openConnection, type SingleConnection } from "../../src/store/postgres/postgres-driver.ts";
import { postgresAccess } from "../../src/store/postgres/postgres-boot.ts";
import { migrate as migratePostgres } from "../../src/store/postgres/postgres-migrate.ts";
import { migrate as migrateSqlite } from "../../src/store/sqlite/sqlite-schema.ts";
import { statementsOf } from "./statements-of.ts";

/**
 * A program that upgrades a database and kills itself between two statements: before the one with the number
 * `point`. A program that gets to the end prints how many points there are.
 */
const [store = "", place = "", given = ""] = process.argv.slice(2);
const point = Number(given);
let passed = 0;

function pass(): void {
  if (passed++ === point) process.kill(process.pid, "SIGKILL");
}

/** Runs a script statement by statement, which SQLite and PostgreSQL do as well. */
class CountingDatabase extends Database {
  override run(script: string, ...bindings: SQLQueryBindings[][]) {
    if (bindings.length > 0) {
      pass();
      return super.run(script, ...bindings);
    }
    let changes = { changes: 0, lastInsertRowid: 0 as number | bigint };
    for (const statement of statementsOf(script)) {
      pass();
      changes = super.run(statement);
    }
    return changes;
  }
}

function counting(connection: SingleConnection): SingleConnection {
  return {
    ...connection,
    async query(text, parameters) {
      pass();
      return connection.query(text, parameters);
    },
    async script(text) {
      for (const statement of statementsOf(text)) {
        pass();
        await connection.script(statement);
      }
    },
  };
}

if (store === "sqlite") {
  const database = new CountingDatabase(place, { create: true, strict: true });
  for (const setting of ["journal_mode = wal", "synchronous = full"])
    database.query(`PRAGMA ${setting}`).get();
  migrateSqlite(database);
  pass();
  database.close();
} else {
  const connection = openConnection(await postgresAccess(place));
  await migratePostgres(counting(connection));
  pass();
  await connection.close();
}
process.stdout.write(String(passed));
