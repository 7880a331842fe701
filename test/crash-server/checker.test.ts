import { describe, expect, test } from "bun:test";
import { check, type Verdict } from "./checker.ts";
import type { Counted } from "./counters.ts";
import { emptyHistory, type History, type Sighting } from "./history.ts";

const ENDPOINT = "endpoint";
const NOTHING: Counted = {
  endpoint: ENDPOINT,
  completed: 0,
  failed: 0,
  retried: 0,
  inQueue: 0,
  inProgress: 0,
};

/** A job that was submitted and acknowledged at 1 to 2. */
const submission = { endpoint: ENDPOINT, tag: "t", id: "a", mayTimeOut: false, from: 1, to: 2 };
const gotIt = { endpoint: ENDPOINT, id: "a", tag: "t", attempt: 1, span: { from: 3, to: 4 } };
const completed = { id: "a", state: "COMPLETED", digest: "output", attempt: 1 } as const;
const failed = { id: "a", state: "FAILED", digest: "error", attempt: 1 } as const;
const retry = { id: "a", verb: "retry", isAcknowledged: true, from: 21, to: 22 } as const;

function sighting(state: Sighting["state"], from: number, result?: string, record = result): Sighting {
  return { id: "a", state, from, to: from + 1, result, record };
}

/** What the checker finds in a history that has these beside the one submission. */
function found(parts: Partial<History>, counters: Partial<Counted> = {}): Partial<Verdict> {
  const history = { ...emptyHistory(), submissions: [submission], ...parts };
  const verdict = check(history, [{ ...NOTHING, ...counters }]);
  return Object.fromEntries(Object.entries(verdict).filter(([, { length }]) => length > 0));
}

describe("the checker of the killed server", () => {
  test("finds nothing wrong with a job that was done, retried and done again", () => {
    const parts = {
      handOuts: [gotIt, { ...gotIt, attempt: 2, span: { from: 23, to: 24 } }],
      results: [failed, { ...completed, attempt: 2, accepted: { from: 30, to: 31 } }],
      sightings: [
        sighting("IN_PROGRESS", 5),
        sighting("FAILED", 10, "error"),
        sighting("IN_QUEUE", 21),
        sighting("COMPLETED", 40, "output"),
      ],
      requests: [retry],
    };
    expect(found(parts, { completed: 1, failed: 1, retried: 1 })).toEqual({});
  });

  test("calls an acknowledged job that is gone lost, and one that a purge can have removed not", () => {
    const sightings = [sighting("gone", 50)];
    expect(found({ sightings })).toMatchObject({
      lost: ["a was IN_QUEUE (1 to 2) and then gone (50 to 51)"],
    });
    const purge = { endpoint: ENDPOINT, from: 20, to: 30, removed: undefined };
    expect(found({ sightings, purges: [purge] })).toEqual({});
    expect(found({ sightings, purges: [{ ...purge, endpoint: "other" }] })).toHaveProperty("lost");
    const ended = [sighting("COMPLETED", 10, "output"), ...sightings];
    expect(found({ sightings: ended, results: [completed], purges: [purge] })).toHaveProperty("lost");
  });

  test("calls a purge that removed fewer, or more, than are gone wrong", () => {
    const purge = { endpoint: ENDPOINT, from: 20, to: 30, removed: 1 };
    const sightings = [sighting("gone", 50)];
    expect(found({ sightings, purges: [purge] })).toEqual({});
    for (const removed of [0, 2]) {
      const { counters } = found({ sightings, purges: [{ ...purge, removed }] });
      expect(counters).toEqual([`what purges removed of endpoint is ${removed}, not 1 to 1`]);
    }
  });

  test("calls a move that no transition makes illegal", () => {
    const back = [sighting("CANCELLED", 10), sighting("IN_PROGRESS", 20), sighting("CANCELLED", 30)];
    const cancel = { id: "a", verb: "cancel", isAcknowledged: false, from: 5, to: 6 } as const;
    expect(found({ sightings: back, requests: [cancel] })).toEqual({
      illegal: ["a was CANCELLED (10 to 11) and then IN_PROGRESS (20 to 21)"],
    });
    const after = [sighting("COMPLETED", 10, "output"), sighting("FAILED", 30, "error")];
    const results = [completed, failed];
    expect(found({ sightings: after, results, requests: [retry] }, { failed: 2, retried: 1 })).toHaveProperty(
      "illegal",
    );
  });

  test("calls a cancelled job that nobody cancelled, and a timed out one without a deadline, illegal", () => {
    expect(found({ sightings: [sighting("CANCELLED", 10)] })).toHaveProperty("illegal");
    expect(found({ sightings: [sighting("TIMED_OUT", 10)] }, { failed: 1 })).toHaveProperty("illegal");
    const submissions = [{ ...submission, mayTimeOut: true }];
    expect(found({ submissions, sightings: [sighting("TIMED_OUT", 10)] }, { failed: 1 })).toEqual({});
  });

  test("calls a failed job that runs again without a retry illegal", () => {
    const sightings = [sighting("FAILED", 10, "error"), sighting("CANCELLED", 30)];
    const cancel = { id: "a", verb: "cancel", isAcknowledged: true, from: 25, to: 26 } as const;
    expect(found({ sightings, results: [failed], requests: [cancel] })).toHaveProperty("illegal");
    const requests = [cancel, { ...retry, isAcknowledged: false }];
    expect(found({ sightings, results: [failed], requests }, { failed: 1 })).toEqual({});
  });

  test("puts answers that overlap in no order", () => {
    const sightings = [sighting("COMPLETED", 10, "output"), { ...sighting("IN_PROGRESS", 9), to: 20 }];
    expect(found({ sightings, results: [completed] }, { completed: 1 })).toHaveProperty("unfinished");
    const last = sighting("COMPLETED", 30, "output");
    expect(found({ sightings: [...sightings, last], results: [completed] }, { completed: 1 })).toEqual({});
  });

  test("calls the record of an ended job that became another one changed", () => {
    const results = [completed, { ...completed, digest: "other" }];
    const sightings = [sighting("COMPLETED", 10, "output"), sighting("COMPLETED", 20, "other")];
    expect(found({ sightings, results }, { completed: 1 })).toEqual({
      changed: ["a was COMPLETED with output (10 to 11) and then COMPLETED with other (20 to 21)"],
    });
    const sameOutput = [sightings[0], sighting("COMPLETED", 20, "output", "another worker")].flatMap(
      (one) => one ?? [],
    );
    expect(found({ sightings: sameOutput, results }, { completed: 1 })).toHaveProperty("changed");
  });

  test("calls an accepted result that is not the job's changed", () => {
    const accepted = { ...completed, digest: "other", accepted: { from: 8, to: 9 } };
    const sightings = [sighting("COMPLETED", 10, "output")];
    expect(found({ sightings, results: [completed, accepted] }, { completed: 1 })).toHaveProperty("changed");
  });

  test("calls an acknowledged retry that left no trace changed", () => {
    const sightings = [sighting("FAILED", 10, "error"), sighting("FAILED", 30, "error")];
    const counted = { failed: 2, retried: 1 };
    expect(found({ sightings, results: [failed], requests: [retry] }, counted)).toHaveProperty("changed");
  });

  test("calls one attempt that was handed out twice, or ended twice, duplicated", () => {
    const again = { ...gotIt, span: { from: 13, to: 14 } };
    const sightings = [sighting("COMPLETED", 40, "output")];
    const results = [completed];
    expect(found({ handOuts: [gotIt, again], sightings, results }, { completed: 1 })).toEqual({
      duplicated: ["attempt 1 of a was handed out twice"],
    });
    const accepted = { ...completed, accepted: { from: 20, to: 21 } };
    expect(
      found(
        { sightings, results: [accepted, { ...accepted, accepted: { from: 30, to: 31 } }] },
        { completed: 1 },
      ),
    ).toEqual({ duplicated: ["two results of attempt 1 of a were accepted"] });
    const later = { ...accepted, attempt: 2, accepted: { from: 30, to: 31 } };
    expect(found({ sightings, results: [accepted, later] }, { completed: 1 })).toEqual({
      duplicated: ["two results of one run of a were accepted"],
    });
    const second = { ...gotIt, attempt: 2, span: { from: 13, to: 14 } };
    expect(
      found({ handOuts: [gotIt, second], sightings, results: [accepted] }, { completed: 1 }),
    ).toHaveProperty("duplicated", ["a result of attempt 1 of a was accepted after attempt 2 began"]);
  });

  test("calls one submission that became two jobs duplicated, and a job that nobody sent unexpected", () => {
    const sightings = [sighting("COMPLETED", 40, "output")];
    const parts = { sightings, results: [completed] };
    const counted = { completed: 1 };
    const other = { ...gotIt, id: "b" };
    expect(found({ ...parts, handOuts: [other] }, counted)).toMatchObject({
      duplicated: ["submission t is job a and job b"],
    });
    expect(found({ ...parts, handOuts: [{ ...other, tag: "u" }] }, counted)).toEqual({
      unexpected: ["job b with tag u, which nobody has sent"],
    });
  });

  test("calls a result that no worker sent unexpected", () => {
    expect(found({ sightings: [sighting("COMPLETED", 40, "output")] }, { completed: 1 })).toEqual({
      unexpected: ["a is COMPLETED with output"],
    });
  });

  test("calls chunks that are missing, doubled, of another attempt or in another order wrong", () => {
    const chunk = (mark: string, outcome: "stored" | "unknown" | "ignored", attempt = 1) => ({
      id: "a",
      attempt,
      mark,
      outcome,
    });
    const chunks = [
      chunk("lost", "stored", 0),
      chunk("x", "stored"),
      chunk("y", "unknown"),
      chunk("z", "stored"),
    ];
    const judge = (which: "all" | "next", ...reads: string[][]) =>
      found(
        {
          chunks: [...chunks, chunk("late", "ignored")],
          reads: reads.map((marks) => ({ id: "a", which, marks })),
          sightings: [sighting("COMPLETED", 40, "output")],
          results: [completed],
        },
        { completed: 1 },
      ).chunks;
    expect(judge("all", ["x", "z"])).toBeUndefined();
    expect(judge("all", ["x", "y", "z"])).toBeUndefined();
    for (const marks of [["x"], ["z", "x"], ["x", "x", "z"], ["lost", "x", "z"], ["x", "z", "late"]])
      expect(judge("all", marks)).toHaveLength(1);
    expect(judge("next", ["x"], ["y", "z"])).toBeUndefined();
    expect(judge("next", ["x"], ["x", "z"])).toHaveLength(1);
  });

  test("calls counters that the jobs contradict wrong, and a job that has not ended unfinished", () => {
    const parts = { sightings: [sighting("COMPLETED", 40, "output")], results: [completed] };
    expect(found(parts, { completed: 2 })).toEqual({ counters: ["completed of endpoint is 2, not 1 to 1"] });
    expect(found(parts, { completed: 1, inQueue: 1 })).toHaveProperty("counters");
    expect(found({})).toEqual({ unfinished: ["a is IN_QUEUE"] });
  });
});
