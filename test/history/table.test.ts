import { expect, test } from "bun:test";
import { checkHistory } from "./check-history.ts";
import { submission } from "./events.ts";
import { DONE, LOST } from "./small-histories.ts";
import { tableOf } from "./table.ts";

test("the table of a verdict has each count below its name", () => {
  expect(tableOf("crash", checkHistory([...DONE, submission(9, { outcome: "unknown", tag: "u" })]))).toBe(
    [
      "crash",
      "  acknowledged  lost  unexpected  duplicated  recovered  unknown  illegal  not linearizable",
      "             1     0           0           0          0        1        0                 0",
      "",
    ].join("\n"),
  );
  expect(tableOf("crash", checkHistory(LOST))).toContain("\n             1     1           0");
});
