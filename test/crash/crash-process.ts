/**
 * A process in which many callers share a store until somebody kills it. It tells what it did through
 * inherited pipes: see history.ts.
 */
import { writeSync } from "node:fs";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { caller, TURNS } from "./callers.ts";
import type { CrashOrder } from "./crash-order.ts";
import { MARKS_PIPE } from "./history.ts";
import { seededRandom } from "./seeded-random.ts";
import { recordedStore } from "./recorded-store.ts";

const [argument] = process.argv.slice(2);
if (argument === undefined) throw new Error("usage: crash-process <order as JSON>");
// Written by `killedRun`.
const order = JSON.parse(argument) as CrashOrder;

const store = await openSqliteStore({
  directory: order.directory,
  onFatal(error) {
    throw error;
  },
  onCommit: (mark) => writeSync(MARKS_PIPE, mark === "begin" ? "b" : "e"),
});
const recorded = recordedStore(store, order);
await Promise.all(
  TURNS.map((turn, index) => caller(recorded, turn, seededRandom(`${order.seed}/${index}`), index)),
);
