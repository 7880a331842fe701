import { beforeEach, describe, expect, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import type { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

let clock: ManualClock;
let server: TestServer;
let endpoint: string;
freshServer((fresh) => ({ clock, server, endpoint } = fresh), { isStill: true });

type Key = { authorization: string };
const act = async (action: string, body: unknown, key?: Key) =>
  (await server.post(`/v1/jobs/${action}`, body, key)).json;
const read = async (id: string, key?: Key) => (await server.get(`/v1/job-operations/${id}`, key)).json;
const one = async (id: string) => (await server.get(`/v1/jobs/${id}`)).json;

/** Begins an operation, and answers it at its end. */
async function finished(action: string, body: unknown, key?: Key) {
  const { id } = await act(action, body, key);
  return until("the operation is over", async () => {
    await clock.advance(200);
    const operation = await read(id, key);
    return operation.state !== "RUNNING" && operation;
  });
}

describe("what is refused", () => {
  test.each([
    [{}, "The body must have either filter or jobs."],
    [{ filter: { state: ["FAILED"] }, jobs: [{ endpoint: "e", id: "a" }] }, "The body must have either"],
    [{ filter: {} }, "filter has no condition. Name at least one"],
    [{ filter: { state: [] } }, "filter.state: must have at least 1 element"],
    [{ filter: { state: ["DONE"] } }, "filter.state.0: must be one of"],
    [{ filter: { tag: "a b" } }, "filter.tag is invalid; must be a tag."],
    [{ filter: { from: "yesterday" } }, "filter.from is invalid; must be a time like"],
    [{ filter: { minDuration: "10x" } }, "filter.minDuration is invalid; must be a duration such as"],
    [{ filter: { version: 0 } }, "filter.version is invalid; must be an integer"],
    [{ filter: { endpoint: "nope" } }, "filter.endpoint is invalid; there is no endpoint nope."],
    [{ filter: { limit: 1 } }, 'filter: has an unknown member "limit"'],
    [{ jobs: [] }, "jobs: must have at least 1 element"],
    [{ jobs: [{ endpoint: "nope", id: "a" }] }, "jobs.0.endpoint: there is no endpoint nope."],
    [
      { jobs: Array.from({ length: 1_001 }, () => ({ endpoint: "e", id: "a" })) },
      "jobs: must have at most 1000 elements",
    ],
    [{ jobs: [{ endpoint: "e", id: "a b" }] }, "jobs.0.id: "],
    [{ filter: { id: "a" }, dryRun: "yes" }, "dryRun: must be true or false"],
  ])("body %#, which says nothing that can be done", async (body, sentence) => {
    for (const action of ["retry", "resubmit", "cancel"]) {
      const { code, status, error } = await act(action, body);
      expect([code, status]).toEqual(["INVALID_FIELD", 400]);
      expect(error).toStartWith(sentence);
    }
  });

  test("a fourth operation while three of the account run; other accounts are not affected", async () => {
    const filter = { state: ["FAILED"] };
    // Time stands still: none of them goes on.
    for (let n = 0; n < 3; n++) expect((await act("resubmit", { filter })).state).toBe("RUNNING");
    const refused = await server.post("/v1/jobs/retry", { filter });
    expect([refused.status, refused.json.code]).toEqual([429, "TOO_MANY_OPERATIONS"]);
    expect(refused.headers.get("retry-after")).toBe("5");
    const other = await server.key("write", { account: await server.account() });
    expect((await act("retry", { filter }, other)).state).toBe("RUNNING");
    expect(await act("retry", { filter, dryRun: true })).toMatchObject({ matches: 0 });
  });
});

describe("who reaches what", () => {
  let second: string;
  let bound: Key;
  let outside: Key;
  beforeEach(async () => {
    second = await server.endpoint();
    bound = await server.key("write", { endpoints: [endpoint] });
    outside = await server.key("write", { account: await server.account() });
  });

  test("a key acts on the jobs of its endpoints, and another account on none", async () => {
    const own = await server.run(endpoint);
    const foreign = await server.run(second);
    await clock.advance(1);
    const filter = { state: ["IN_QUEUE"] };
    expect(await act("cancel", { filter, dryRun: true }, outside)).toMatchObject({ matches: 0 });
    for (const key of [bound, outside]) {
      const { error } = await act("cancel", { jobs: [{ endpoint: second, id: foreign }] }, key);
      expect(error).toBe(`jobs.0.endpoint: there is no endpoint ${second}.`);
    }
    expect(await finished("cancel", { filter }, bound)).toMatchObject({ matches: 1, done: 1 });
    expect((await one(own)).status).toBe("CANCELLED");
    expect((await one(foreign)).status).toBe("IN_QUEUE");
  });

  test("a key sees and stops the operations on its endpoints, and another account none", async () => {
    await server.run(second);
    await clock.advance(1);
    const all = await act("cancel", { filter: { state: ["FAILED"] } });
    await clock.advance(1);
    const narrow = await act("cancel", { filter: { state: ["FAILED"] } }, bound);
    const listed = async (key?: Key) =>
      (await server.get("/v1/job-operations", key)).json.operations.map(({ id }: { id: string }) => id);
    expect(await listed()).toEqual([narrow.id, all.id]);
    expect(await listed(bound)).toEqual([narrow.id]);
    expect(await listed(outside)).toEqual([]);
    for (const [id, key] of [
      [all.id, bound],
      [all.id, outside],
      [narrow.id, outside],
    ]) {
      expect((await read(id, key)).code).toBe("JOB_OPERATION_NOT_FOUND");
      const { json } = await server.post(`/v1/job-operations/${id}/cancel`, undefined, key);
      expect(json.code).toBe("JOB_OPERATION_NOT_FOUND");
    }
    expect((await server.post(`/v1/job-operations/${narrow.id}/cancel`, undefined, bound)).status).toBe(200);
  });
});
