import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PostgresDatabases } from "../../support/postgres-server.ts";
import {
  type Makers,
  type Meeting,
  type Outcome,
  Pairs,
  type SerialOutcomes,
  type Verdict,
} from "./run-pairs.ts";
import type { Move, Situation } from "./situation.ts";
import { openTwoStores, type TwoStores } from "./two-stores.ts";

/** How each pair meets, and which server has made the rows before. */
const MEETINGS: readonly (readonly [Meeting, Makers])[] = [
  ["beforeWrite", { first: "one" }],
  ["beforeCommit", { first: "one" }],
];

/** And where the second server may rely on what it has in its cache, which may be old. */
const CACHED: readonly (readonly [Meeting, Makers])[] = [
  ["beforeCommit", { first: "other" }],
  ["afterCommit", { first: "other" }],
  ["afterCommit", { first: "other", later: "one" }],
];

/** Pairs of servers that work at the same time, each on a database of its own. */
const PAIRS = 2;

/** Each pair of moves of each situation, on two servers, in every forced order. */
export function ordersOf(situations: readonly Situation[], postgres: () => PostgresDatabases): void {
  describe("two servers on one database", () => {
    const opened: TwoStores[] = [];
    const verdicts: Verdict[] = [];

    beforeAll(async () => {
      for (let count = 0; count < PAIRS; count++)
        opened.push(await openTwoStores(await postgres().lendDatabase()));
    });
    afterAll(async () => {
      for (const stores of opened) await stores[Symbol.asyncDispose]();
    });

    for (const situation of situations) {
      describe(situation.name, () => {
        let pairs: readonly Pairs[] = [];
        beforeAll(() => {
          const serial: SerialOutcomes = new Map();
          pairs = opened.map((stores) => new Pairs(stores, situation, serial));
        });
        for (const first of situation.moves) {
          test(`${first.name} first`, async () => {
            const found = await judgeAll(pairs, first, situation.moves);
            verdicts.push(...found);
            expect(found.flatMap(shownFault)).toEqual([]);
          });
        }
      });
    }

    test("servers waited for each other, passed over locked rows, and went on beside each other", () => {
      const counted = {
        waited: verdicts.filter(({ hasWaited }) => hasWaited).length,
        passed: verdicts.filter(({ hasPassed }) => hasPassed).length,
        beside: verdicts.filter(({ hasWaited, hasPassed }) => !hasWaited && !hasPassed).length,
      };
      expect(Object.entries(counted).filter(([, count]) => count === 0)).toEqual([]);
    });
  });
}

/** One move first, and each of the others behind it. */
async function judgeAll(
  pairs: readonly Pairs[],
  first: Move,
  seconds: readonly Move[],
): Promise<readonly Verdict[]> {
  const tasks = seconds.flatMap((second) => {
    const meetings = second.isCached === true ? [...MEETINGS, ...CACHED] : MEETINGS;
    return meetings.map(([meeting, makers]) => ({ second, meeting, makers }));
  });
  const verdicts: Verdict[] = [];
  const work = async (own: Pairs): Promise<void> => {
    for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
      verdicts.push(await own.run(first, task.second, task.meeting, task.makers));
    }
  };
  await Promise.all(pairs.map(work));
  return verdicts;
}

/** What differs from each outcome that would be right. */
function shownFault({ name, fault }: Verdict): object[] {
  if (fault === undefined) return [];
  const got = lines(fault.got);
  const differences = fault.allowed.map(lines).map((right) => ({
    missing: right.filter((line) => !got.includes(line)),
    tooMuch: got.filter((line) => !right.includes(line)),
  }));
  return [{ name, differences }];
}

function lines({ first, second, rows }: Outcome): string[] {
  return [`first answered ${first}`, `second answered ${second}`, ...rows];
}
