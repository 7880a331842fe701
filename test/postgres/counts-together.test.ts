import { beforeEach, describe, expect, test } from "bun:test";
import { postgresReadRecords } from "../../src/store/postgres/postgres-read-records.ts";
import type { Pool } from "../../src/store/postgres/postgres-driver.ts";

describe("the counts of an endpoint", () => {
  /** The endpoints of the statements that were sent, and what answers each. */
  let sent: unknown[];
  let answers: ((rows: unknown[]) => void)[];
  let counts: (endpoint: string) => Promise<unknown>;

  beforeEach(() => {
    [sent, answers] = [[], []];
    const pool: Pool = {
      query<Row>(_: string, parameters: readonly unknown[] = []) {
        sent.push(parameters[0]);
        return new Promise<Row[]>((resolve) => answers.push((rows) => resolve(rows as Row[])));
      },
      close: () => Promise.resolve(),
    };
    counts = postgresReadRecords(pool).counts;
  });

  test("are read by one statement for all calls that come together", async () => {
    const calls = [counts("a"), counts("a"), counts("b")];
    await new Promise(setImmediate);
    expect(sent).toEqual(["a", "b"]);
    answers[0]?.([{ endpoint: "a", queued: 1 }]);
    answers[1]?.([]);
    expect(await Promise.all(calls)).toEqual([{ queued: 1 }, { queued: 1 }, undefined]);
  });

  test("are read anew for a call that comes while a statement is on its way", async () => {
    const earlier = counts("a");
    await new Promise(setImmediate);
    const later = counts("a");
    await new Promise(setImmediate);
    expect(sent).toEqual(["a", "a"]);
    answers[0]?.([{ endpoint: "a", queued: 1 }]);
    answers[1]?.([{ endpoint: "a", queued: 2 }]);
    expect(await Promise.all([earlier, later])).toEqual([{ queued: 1 }, { queued: 2 }]);
  });
});
