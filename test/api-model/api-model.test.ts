import { describe, expect, test } from "bun:test";
import { COMMAND_KINDS, runModel } from "./api-model.ts";
import { storeInMemory } from "./memory-stores.ts";
import { sqliteOnFile } from "./sqlite-stores.ts";
import { Tally } from "./tally.ts";

/** A run in which a kind of command hardly ever had its effect shows little of it. */
const LEAST = 1_000;
const LEAST_ON_FILE = 25;
/** With fewer sequences there are fewer of each kind. */
const isWholeRun = process.env["CASE"] === undefined && Number(process.env["RUNS"] ?? 1) >= 1;

describe("every answer of the server is that of the model, whatever comes in whatever order", () => {
  const tally = new Tally();

  test("P1 to P11, P13, P18: 2,000 sequences in memory", async () => {
    await runModel({ open: storeInMemory, sequences: 2_000, commands: 120, tally });
    process.stdout.write(tally.table("in memory"));
    if (isWholeRun) expect(tally.below(LEAST, COMMAND_KINDS)).toEqual([]);
  }, 300_000);

  test("P1 to P11, P13, P18: 50 sequences on file, with crashes", async () => {
    const onFile = new Tally();
    await runModel({ open: sqliteOnFile, sequences: 50, commands: 300, tally: onFile });
    process.stdout.write(onFile.table("on file"));
    if (isWholeRun) expect(onFile.below(LEAST_ON_FILE, COMMAND_KINDS)).toEqual([]);
  }, 300_000);
});
