import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bootPostgres } from "../../src/store/postgres/postgres-boot.ts";
import { openInDirectory } from "../../src/store/sqlite/sqlite-open.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { dump, fixtures, layDirectory, newDirectory, statementsOf } from "./fixtures.ts";

const PROGRAM = join(import.meta.dir, "killed-migration.ts");

const postgres = suiteDatabases();
const [oldest] = fixtures();
if (oldest === undefined) throw new Error("there is no fixture");

/** Undefined begins with no data at all. */
const BEGINNINGS = [
  ["nothing", undefined],
  [`data of ${oldest.version}`, oldest],
] as const;

/** Of the hundred points of a new PostgreSQL, which are slow, each tenth or so. */
const STEP = 11;

test.each(BEGINNINGS)(
  "SQLite, from %s: killed between any two statements, the next start completes the upgrade",
  async (_, fixture) => {
    const root = newDirectory();
    const before = join(root, "data");
    if (fixture === undefined) mkdirSync(before);
    else layDirectory(fixture, before);
    const copy = (name: string): string => {
      const directory = join(root, name);
      cpSync(before, directory, { recursive: true });
      return directory;
    };
    const undisturbed = copy("undisturbed");
    const points = pointsOf("sqlite", join(undisturbed, "forebay.db"));
    const expected = await sqliteContent(undisturbed);
    expect(points).toBeGreaterThan(10);
    for (let point = 0; point < points; point++) {
      const directory = copy(`killed-${point}`);
      isKilledAt(point, "sqlite", join(directory, "forebay.db"));
      expect({ point, ...(await sqliteContent(directory)) }).toEqual({ point, ...expected });
    }
    rmSync(root, { recursive: true });
  },
  120_000,
);

test.each(BEGINNINGS)(
  "PostgreSQL, from %s: killed between two statements, the next start completes the upgrade",
  async (_, fixture) => {
    const { url, giveBack } = await postgres().lendDatabase();
    const name = new URL(url).pathname.slice(1);
    const laid = async (): Promise<void> => {
      await postgres().run("DROP SCHEMA IF EXISTS forebay CASCADE", name);
      if (fixture !== undefined) await postgres().run(statementsOf(fixture), name);
    };
    await laid();
    const points = pointsOf("postgres", url);
    const expected = await postgresContent(url);
    expect(points).toBeGreaterThan(10);
    for (let point = 0; point < points; point += fixture === undefined ? STEP : 1) {
      await laid();
      isKilledAt(point, "postgres", url);
      expect({ point, lines: await postgresContent(url) }).toEqual({ point, lines: expected });
    }
    await giveBack();
  },
  300_000,
);

/** Runs the upgrade to its end; the answer is how many points there are to kill it at. */
function pointsOf(store: string, place: string): number {
  const { status, stdout, stderr } = run(store, place, Number.NaN);
  expect([status, stderr]).toEqual([0, ""]);
  return Number(stdout);
}

function isKilledAt(point: number, store: string, place: string): void {
  expect(run(store, place, point).signal).toBe("SIGKILL");
}

function run(store: string, place: string, point: number) {
  return spawnSync(process.execPath, [PROGRAM, store, place, String(point)], { encoding: "utf8" });
}

/** What the next start makes of it: the schema, and the rows of every table. */
async function sqliteContent(directory: string) {
  await (await openInDirectory(directory, undefined)).close();
  const database = new Database(join(directory, "forebay.db"), { readonly: true });
  const schema = database.query<{ name: string; type: string; sql: string | null }, []>(
    "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name",
  );
  const rows = schema
    .all()
    .filter(({ type }) => type === "table")
    .map(({ name }) => [name, database.query(`SELECT * FROM ${name}`).all()]);
  const check = database.query("PRAGMA integrity_check").all();
  const version = database.query("PRAGMA user_version").get();
  // The statements keep their comments, which the program that was killed has left out.
  const bare = schema.all().map(({ type, name, sql }) => [type, name, withoutComments(sql)]);
  const content = { schema: bare, rows, check, version };
  database.close();
  return content;
}

function withoutComments(sql: string | null): string | undefined {
  return sql?.replaceAll(/--[^\n]*/g, "").replaceAll(/\s+/g, " ");
}

async function postgresContent(url: string): Promise<string[]> {
  await bootPostgres(url);
  // Rows that were written twice lie in another order.
  return dump(url).split("\n").toSorted();
}
