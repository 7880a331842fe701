import { expect, test } from "bun:test";
import { SCHEMA_RELEASES } from "../../src/store/schema-releases.ts";
import { NOTHING_WRONG, wrongOf } from "../crash-server/judge.ts";
import { tableOf } from "../history/table.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { SEED } from "../support/seed.ts";
import { fixtures } from "./fixtures.ts";
import { rollingUpgrade } from "./rolling-upgrade.ts";

const postgres = suiteDatabases();

/** The release before this one. */
const before = SCHEMA_RELEASES.at(-2)?.version ?? "";
const versions = fixtures().map(({ version }) => version);

test.each(versions.filter((version) => version.startsWith(before)))(
  `P1 to P4: two servers of %s, replaced one by one under load and kills, lose nothing (SEED=${SEED})`,
  async (version) => {
    const { url, giveBack } = await postgres().lendDatabase();
    const { errors, verdict, counters, answers, ...reached } = await rollingUpgrade(SEED, version, url);
    const title = `rolling upgrade from ${version}: SEED=${SEED} ${JSON.stringify(reached)}`;
    process.stderr.write(tableOf(title, verdict));
    const wrong = { ...wrongOf({ verdict, counters, answers }), errors };
    expect(wrong).toEqual({ ...NOTHING_WRONG, errors: [] });
    expect(reached.kills).toBeGreaterThan(5);
    expect(reached.ended["COMPLETED"]).toBeGreaterThan(50);
    await giveBack();
  },
  240_000,
);
