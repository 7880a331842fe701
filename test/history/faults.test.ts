import { describe, expect, test } from "bun:test";
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
import { DONE, FAILED, faults, LOST } from "./small-histories.ts";

describe("the checker finds", () => {
  test("an acknowledged job that is gone, also if an other endpoint was purged", () => {
    expect(faults(...LOST)).toMatchObject({ lost: ["job a was IN_QUEUE (1 to 2) and then gone (50 to 51)"] });
    expect(faults(...LOST, purge(20, { endpoint: "other" }))).toHaveProperty("lost");
    expect(faults(...DONE, purge(20), look(50, "gone", FINAL))).toHaveProperty("lost");
    expect(faults(...LOST, purge(20, { ids: ["b"] }))).toHaveProperty("lost");
    expect(faults(...DONE, purge(20, { ids: ["a"] }))).toHaveProperty("notLinearizable");
  });

  test("an acknowledged job that does not end, or that nobody looked at in the end", () => {
    expect(faults(submission(1), look(50, "IN_QUEUE", FINAL))).toEqual({
      lost: ["job a is IN_QUEUE at the end"],
    });
    expect(faults(submission(1))).toHaveProperty("lost");
  });

  test("a job that nobody sent, and one whose submission was refused", () => {
    expect(faults(...DONE, handOut(3, 1, { id: "b", tag: "u" }))).toEqual({
      unexpected: ["job b has tag u, which nobody sent"],
    });
    expect(faults(...DONE, look(3, "IN_QUEUE", { id: "b" }))).toEqual({
      unexpected: ["job b, which nobody submitted"],
    });
    const refused = submission(1, { outcome: "refused", tag: "u" });
    expect(
      faults(
        ...DONE,
        refused,
        handOut(3, 1, { id: "b", tag: "u" }),
        look(9, "CANCELLED", { id: "b", ...FINAL }),
      ),
    ).toHaveProperty("unexpected");
  });

  test("a result that no worker reported", () => {
    expect(faults(submission(1), handOut(3, 1), end(9, "COMPLETED", "r", FINAL))).toMatchObject({
      unexpected: ["job a is COMPLETED with r, which no worker reported"],
    });
  });

  test("one submission that became two jobs", () => {
    expect(faults(...DONE, handOut(3, 1, { id: "b" }))).toMatchObject({
      duplicated: ["submission t is job a and job b"],
    });
    expect(faults(...DONE, submission(1, { tag: "u" }))).toHaveProperty("duplicated");
  });

  test("one attempt that was handed out twice, or ended twice, and two results of one run", () => {
    expect(faults(...DONE, handOut(6, 1))).toMatchObject({
      duplicated: ["attempt 1 of job a was handed out twice"],
    });
    expect(faults(...DONE, report(7, "COMPLETED", "s", { attempt: 1 }))).toMatchObject({
      duplicated: ["two results of attempt 1 of job a were accepted"],
    });
    expect(faults(...DONE, report(7, "COMPLETED", "s", { attempt: 2 }))).toMatchObject({
      duplicated: ["two results of one run of job a were accepted"],
    });
    const second = [submission(1), handOut(2, 1), handOut(3, 2), ...DONE.slice(2)];
    expect(faults(...second)).toMatchObject({
      duplicated: ["a result of attempt 1 of job a was accepted after the next attempt began"],
    });
    expect(faults(submission(1), handOut(3, 2), handOut(5, 1), look(9, "CANCELLED", FINAL))).toHaveProperty(
      "duplicated",
    );
  });

  test("states that no transition leads to", () => {
    expect(faults(...DONE, look(20, "IN_PROGRESS"))).toMatchObject({
      illegal: ["job a was COMPLETED (9 to 10) and then IN_PROGRESS (20 to 21)"],
    });
    expect(faults(submission(1), look(9, "CANCELLED", FINAL))).toHaveProperty("illegal");
    expect(faults(submission(1), look(9, "TIMED_OUT", FINAL))).toHaveProperty("illegal");
    expect(faults(...FAILED, cancel(20, "CANCELLED"), look(30, "CANCELLED", FINAL))).toHaveProperty(
      "illegal",
    );
    expect(faults(...FAILED, look(20, "IN_QUEUE"), retry(30), look(40, "gone", FINAL))).toHaveProperty(
      "illegal",
    );
  });

  test("a record of an end that became another one", () => {
    const other = look(20, "COMPLETED", { result: "r", record: "other" });
    expect(faults(...DONE, other)).toEqual({
      notLinearizable: [expect.stringContaining("look: COMPLETED with r (20 to 21) cannot follow COMPLETED")],
    });
  });

  test("an accepted result that is not the job's", () => {
    const events = [...DONE, report(6, "COMPLETED", "s", { outcome: "unknown" }), end(20, "COMPLETED", "s")];
    expect(faults(...events)).toHaveProperty("notLinearizable");
  });

  test("an acknowledged retry, cancellation or purge that did nothing", () => {
    const same = end(30, "FAILED", "r", FINAL);
    expect(faults(...FAILED, retry(20), same)).toHaveProperty("notLinearizable");
    expect(faults(...FAILED, retry(20, { outcome: "unknown" }), same)).toEqual({});
    expect(faults(...FAILED, retry(20, { outcome: "refused" }), same)).toHaveProperty("notLinearizable");
    const cancelled = cancel(4, "CANCELLED", { to: 4 });
    expect(faults(...DONE, cancelled)).toHaveProperty("notLinearizable");
    const purged = [submission(1), purge(2.2, { to: 2.4 }), ...DONE.slice(1)];
    expect(faults(...purged)).toHaveProperty("notLinearizable");
  });

  test("an ignored result or chunk of the attempt that runs", () => {
    const ignored = report(6, "COMPLETED", "s", { attempt: 1, outcome: "ignored" });
    const events = [submission(1), handOut(3, 1), ignored];
    const rest = [report(9, "COMPLETED", "r", { attempt: 1 }), end(12, "COMPLETED", "r", FINAL)];
    expect(faults(...events, ...rest)).toHaveProperty("notLinearizable");
    const late = chunk(6, 1, "x", { outcome: "ignored" });
    expect(faults(submission(1), handOut(3, 1), late, ...rest)).toHaveProperty("notLinearizable");
  });

  test("a chunk that was stored after the end", () => {
    expect(faults(...DONE, chunk(7, 1, "x"), read(12, "all", "x"))).toHaveProperty("notLinearizable");
  });

  test("a late result of a worker that names its attempt", () => {
    const late = report(20, "COMPLETED", "r", { attempt: 1, outcome: "unknown" });
    const events = [submission(1), handOut(3, 1), look(6, "IN_QUEUE"), handOut(8, 2), late];
    expect(faults(...events, end(40, "COMPLETED", "r", FINAL))).toHaveProperty("notLinearizable");
  });

  test("a result of a worker that did not get the job", () => {
    const events = [
      submission(1),
      handOutTo(3, "v"),
      report(20, "FAILED", "r", { worker: "w", outcome: "unknown" }),
      end(40, "FAILED", "r", FINAL),
    ];
    expect(faults(...events)).toHaveProperty("notLinearizable");
  });

  test("chunks that are missing, twice there, in the wrong order, or of nobody", () => {
    const chunks = [chunk(4, 1, "x"), chunk(4, 1, "y", { outcome: "unknown" }), chunk(4, 1, "z")];
    const late = chunk(7, 1, "late", { outcome: "ignored" });
    const all = (...marks: string[]) => faults(...DONE, ...chunks, late, read(20, "all", ...marks));
    expect(all("x")).toEqual({ lost: ["chunk z of job a was stored, and not read"] });
    expect(all("z", "x")).toHaveProperty("illegal");
    expect(all("x", "x", "z")).toHaveProperty("duplicated");
    expect(all("x", "z", "late")).toHaveProperty("unexpected");
    expect(all("w", "x", "z")).toHaveProperty("unexpected");
    expect(faults(...DONE, ...chunks, read(6, "next", "x"), read(7, "next", "x"))).toHaveProperty(
      "duplicated",
    );
    const lost = [
      submission(1),
      handOut(1, 1),
      chunk(2, 1, "x"),
      handOut(3, 2),
      report(5, "COMPLETED", "r", { attempt: 2 }),
      ...DONE.slice(3),
    ];
    expect(faults(...lost, read(20, "all"))).toEqual({});
    expect(faults(...lost, read(20, "all", "x"))).toHaveProperty("illegal");
  });

  test("an end without its webhook, a webhook of no end, of another job, or with two bodies", () => {
    const [, ...rest] = DONE;
    const done = [submission(1, { hasWebhook: true }), ...rest];
    const good = webhook(30, "record of r");
    expect(faults(...done)).toEqual({ lost: ["job a was COMPLETED, and no webhook told so"] });
    expect(faults(...done, good, webhook(31, "other"))).toHaveProperty("duplicated");
    expect(faults(...done, good, webhook(31, "record of r", { webhookId: "v" }))).toHaveProperty(
      "duplicated",
    );
    expect(
      faults(...done, good, webhook(31, "run", { webhookId: "v", state: "IN_PROGRESS" })),
    ).toHaveProperty("unexpected");
    expect(faults(...DONE, good)).toHaveProperty("unexpected");
    expect(faults(...done, good, webhook(31, "x", { id: "b" }))).toHaveProperty("unexpected");
    expect(faults(...done, webhook(4, "record of r"))).toHaveProperty("notLinearizable");
  });
});
