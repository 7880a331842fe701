import { describe, expect, test } from "bun:test";
import { checkHistory } from "./check-history.ts";
import {
  cancel,
  chunk,
  end,
  FINAL,
  handOut,
  handOutTo,
  look,
  purge,
  read,
  report,
  retry,
  submission,
  webhook,
} from "./events.ts";
import { DONE, FAILED, faults } from "./small-histories.ts";

describe("the checker accepts", () => {
  test("a job that failed, was retried and completed", () => {
    expect(
      faults(
        ...FAILED,
        retry(20, { state: "IN_QUEUE" }),
        look(22, "IN_QUEUE"),
        handOut(23, 2),
        report(25, "COMPLETED", "s", { attempt: 2 }),
        end(40, "COMPLETED", "s", FINAL),
      ),
    ).toEqual({});
  });

  test("an unknown submission whose job exists, and one whose job does not", () => {
    const recovered = [
      submission(1, { outcome: "unknown" }),
      ...DONE.slice(1),
      submission(2, { outcome: "unknown", tag: "u" }),
    ];
    expect(faults(...recovered)).toEqual({});
    expect(checkHistory(recovered)).toMatchObject({ acknowledged: 0, unknown: 2, recovered: 1 });
  });

  test("an unknown submission that takes effect long after its connection broke", () => {
    const [, ...rest] = DONE.map((event) => ({ ...event, from: event.from + 100, to: event.to + 100 }));
    expect(faults(submission(1, { outcome: "unknown" }), ...rest)).toEqual({});
  });

  test("a lost attempt, and another one that completes", () => {
    expect(
      faults(
        submission(1),
        handOut(3, 1),
        look(6, "IN_QUEUE"),
        handOut(8, 2),
        report(10, "COMPLETED", "r", { attempt: 1, outcome: "ignored" }),
        report(12, "COMPLETED", "s", { attempt: 2 }),
        end(40, "COMPLETED", "s", FINAL),
      ),
    ).toEqual({});
  });

  test("an attempt that nobody saw, because its answer was lost", () => {
    expect(
      faults(
        submission(1),
        look(3, "IN_PROGRESS"),
        look(5, "IN_QUEUE"),
        handOut(8, 3),
        report(12, "COMPLETED", "s", { attempt: 3 }),
        end(40, "COMPLETED", "s", FINAL),
      ),
    ).toEqual({});
  });

  test("the late result of a worker whose job is in the queue again, or runs elsewhere", () => {
    const late = [
      report(20, "COMPLETED", "r", { worker: "w", outcome: "unknown" }),
      end(40, "COMPLETED", "r", FINAL),
    ];
    expect(faults(submission(1), handOutTo(3, "w"), look(6, "IN_QUEUE"), ...late)).toEqual({});
    expect(faults(submission(1), handOutTo(3, "w"), look(6, "IN_QUEUE"), handOutTo(8, "v"), ...late)).toEqual(
      {},
    );
  });

  test("a report that is repeated because its answer was lost: the second one is ignored", () => {
    expect(
      faults(
        submission(1),
        handOut(3, 1),
        report(5, "COMPLETED", "r", { attempt: 1, outcome: "unknown" }),
        report(8, "COMPLETED", "s", { attempt: 1, outcome: "ignored" }),
        end(9, "COMPLETED", "r", FINAL),
      ),
    ).toEqual({});
  });

  test("a cancellation that overlaps a result, whoever wins", () => {
    const race = [submission(1), handOut(3, 1)];
    const span = { from: 5, to: 10 };
    expect(
      faults(
        ...race,
        report(5, "COMPLETED", "r", { attempt: 1, ...span }),
        cancel(5, "COMPLETED", span),
        end(12, "COMPLETED", "r", FINAL),
      ),
    ).toEqual({});
    expect(
      faults(
        ...race,
        report(5, "COMPLETED", "r", { attempt: 1, outcome: "ignored", ...span }),
        cancel(5, "CANCELLED", span),
        look(12, "CANCELLED", { ...FINAL, record: "c" }),
      ),
    ).toEqual({});
  });

  test("a purge with a limit that removed the job, and one that removed others", () => {
    const waiting = submission(1);
    expect(faults(waiting, purge(5, { ids: ["b", "a"] }), look(9, "gone", FINAL))).toEqual({});
    expect(faults(...DONE.slice(0, 1), purge(2, { ids: ["b"] }), ...DONE.slice(1))).toEqual({});
  });

  test("a purge that removed the job, and one that found it running", () => {
    expect(faults(submission(1), purge(20), look(50, "gone", FINAL))).toEqual({});
    expect(faults(submission(1), purge(20, { outcome: "unknown" }), look(50, "gone", FINAL))).toEqual({});
    const [sent, ...rest] = DONE;
    if (sent !== undefined) expect(faults(sent, purge(4), ...rest)).toEqual({});
  });

  test("answers that overlap, in any order", () => {
    expect(faults(...DONE, look(7, "IN_QUEUE", { to: 30 }))).toHaveProperty("illegal");
    expect(faults(...DONE, look(2, "IN_QUEUE", { to: 30 }), look(3, "IN_PROGRESS", { to: 30 }))).toEqual({});
  });

  test("a job that ran out of attempts, timed out, or expired, where that can happen", () => {
    const givenUp = look(30, "FAILED", { result: null, record: "x", ...FINAL });
    expect(faults(submission(1), handOut(3, 1), givenUp)).toEqual({});
    const timedOut = look(30, "TIMED_OUT", { record: "x", ...FINAL });
    expect(faults(submission(1, { mayTimeOut: true }), timedOut)).toEqual({});
    const [, ...rest] = FAILED;
    const gone = look(60, "gone", FINAL);
    expect(
      faults(submission(1, { mayExpire: true }), ...rest, retry(50, { outcome: "refused" }), gone),
    ).toEqual({});
  });

  test("chunks that were stored, read in order, and once by plain reads", () => {
    const chunks = [chunk(4, 1, "x"), chunk(4, 1, "y", { outcome: "unknown" }), chunk(4, 1, "z")];
    const all = (...marks: string[]) => faults(...DONE, ...chunks, read(20, "all", ...marks));
    expect(all("x", "z")).toEqual({});
    expect(all("x", "y", "z")).toEqual({});
    expect(faults(...DONE, ...chunks, read(6, "next", "x"), read(7, "next", "y", "z"))).toEqual({});
  });

  test("a webhook that comes several times with the same record", () => {
    const [, ...rest] = DONE;
    const called = [webhook(12, "record of r"), webhook(30, "record of r")];
    expect(faults(submission(1, { hasWebhook: true }), ...rest, ...called)).toEqual({});
  });
});
