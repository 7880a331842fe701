import { expect, test } from "bun:test";
import { COMMAND_KINDS, runModel } from "../api-model/api-model.ts";
import { postgresStores } from "../api-model/postgres-stores.ts";
import { Tally } from "../api-model/tally.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";

/** A run in which a kind of command hardly ever had its effect shows little of it. */
const LEAST = 25;

const postgres = suiteDatabases();

test("P1 to P11, P13, P18: 200 sequences on PostgreSQL, with crashes", async () => {
  const tally = new Tally();
  await runModel({ open: postgresStores(postgres), sequences: 200, commands: 120, tally });
  process.stdout.write(tally.table("on PostgreSQL"));
  if (process.env["CASE"] === undefined) expect(tally.below(LEAST, COMMAND_KINDS)).toEqual([]);
}, 900_000);
