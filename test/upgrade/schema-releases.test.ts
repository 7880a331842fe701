import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import packageRecord from "../../package.json" with { type: "json" };
import workerRecord from "../../sdk/package.json" with { type: "json" };
import { MIGRATIONS, SCHEMA_VERSION } from "../../src/store/postgres/postgres-schema.ts";
import { SCHEMA_RELEASES } from "../../src/store/schema-releases.ts";
import { SCHEMA_VERSION as SQLITE_VERSION } from "../../src/store/sqlite/sqlite-schema.ts";
import { fixtures } from "./fixtures.ts";
import { statementsOf } from "./statements-of.ts";

/** Takes something away that a server of the release before may use, or refuses what it may write. */
const CONTRACTS = [
  /\bDROP\b/i,
  /\bRENAME\b/i,
  /\bSET NOT NULL\b/i,
  /\bADD (CONSTRAINT|CHECK|UNIQUE|FOREIGN|PRIMARY)\b/i,
  /\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i,
  /\bADD COLUMN \w+ \w+[^,]* NOT NULL(?![^,]*DEFAULT)/i,
  /\bCREATE UNIQUE INDEX\b/i,
];

/** The release before is 0.1.0: its rolling upgrade is shown by test/upgrade/rolling.test.ts alone. */
const FIRST_HELD = 2;

function contracts(migrations: readonly string[]): string[] {
  return migrations
    .flatMap(statementsOf)
    .filter((statement) => CONTRACTS.some((contract) => contract.test(statement)));
}

describe("releases", () => {
  const last = SCHEMA_RELEASES.at(-1);

  test("the last one is this one: its version, and all migrations", () => {
    expect(last).toMatchObject({
      version: packageRecord.version,
      sqlite: SQLITE_VERSION,
      postgres: SCHEMA_VERSION,
    });
    expect(workerRecord.version).toBe(packageRecord.version);
    expect(packageRecord.dependencies["@forebay/worker"]).toBe(packageRecord.version);
  });

  test("the changelog has a section for each, the newest first", () => {
    const text = readFileSync(join(import.meta.dir, "../../CHANGELOG.md"), "utf8");
    const sections = [...text.matchAll(/^## (\S+)/gm)].map(([, version]) => version);
    expect(sections).toEqual(SCHEMA_RELEASES.map(({ version }) => version).toReversed());
  });

  test("each before this one has a fixture of its data", () => {
    const kept = fixtures().map(({ version }) => version);
    for (const { version } of SCHEMA_RELEASES.slice(0, -1)) expect(kept).toContain(version);
  });

  test("PostgreSQL: servers of the release before work on the schema of each", () => {
    for (const [index, { version, serves }] of SCHEMA_RELEASES.entries()) {
      const before = SCHEMA_RELEASES[index - 1];
      if (index < FIRST_HELD || before === undefined) continue;
      expect({ version, isServed: serves <= before.postgres }).toEqual({ version, isServed: true });
    }
  });

  test("PostgreSQL: a release that takes something away shuts out those before the release before", () => {
    for (const [index, release] of SCHEMA_RELEASES.entries()) {
      const before = SCHEMA_RELEASES[index - 1];
      if (index < FIRST_HELD || before === undefined) continue;
      const taken = contracts(MIGRATIONS.slice(before.postgres, release.postgres));
      const isShut = release.serves === before.postgres;
      expect({ version: release.version, taken: isShut ? [] : taken }).toEqual({
        version: release.version,
        taken: [],
      });
    }
  });

  test("what takes something away is known as such", () => {
    for (const statement of [
      "ALTER TABLE forebay.job DROP COLUMN losses",
      "ALTER TABLE forebay.job ADD COLUMN a text NOT NULL",
      "ALTER TABLE forebay.job ADD CHECK (a > 0)",
      "ALTER TABLE forebay.job ALTER a SET NOT NULL",
      "ALTER TABLE forebay.job RENAME a TO b",
    ]) {
      expect(contracts([statement])).toEqual([statement]);
    }
    for (const statement of [
      "ALTER TABLE forebay.job ADD COLUMN a text",
      "ALTER TABLE forebay.job ADD COLUMN a boolean NOT NULL DEFAULT false, ADD COLUMN b text",
      "CREATE TABLE forebay.more (a text NOT NULL)",
    ]) {
      expect(contracts([statement])).toEqual([]);
    }
  });
});
