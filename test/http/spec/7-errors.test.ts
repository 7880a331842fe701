import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readdir, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 7, errors", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  test("7 400: a malformed body, member, query or header is refused, and changes nothing", async () => {
    const job = await at.jobIn("FAILED");
    for (const [answer, code] of [
      [await at.post("run", "{"), "MALFORMED_JSON"],
      [await at.post("runsync", "[1]"), "INVALID_FIELD"],
      [await at.post("run", { input: {}, policy: { ttl: 1 } }), "INVALID_FIELD"],
      [await at.post("runsync?wait=1", { input: {} }), "INVALID_QUERY"],
      [await at.get(`status/${job}?ttl=0`), "INVALID_QUERY"],
      [await at.get(`stream/${job}?from=-1`), "INVALID_QUERY"],
      [await at.post("run", { input: {} }, { "idempotency-key": "a b" }), "INVALID_HEADER"],
      [await at.server.post("/v1/templates", { name: "t" }), "INVALID_FIELD"],
    ] as const) {
      expect([answer.status, answer.json]).toEqual([400, { error: expect.any(String), code, status: 400 }]);
    }
    expect(await at.status(job)).toMatchObject({ status: "FAILED" });
    expect((await at.get("health")).json.jobs).toMatchObject({ inQueue: 0, failed: 1 });
  });

  test("7 fact 2: an error of the worker, or an input that it refuses, ends the job FAILED", async () => {
    for (const error of ["Traceback: ZeroDivisionError", "input.prompt is missing"]) {
      const job = await at.submit();
      await at.worker.take();
      await at.worker.done(job, { error });
      expect(await at.status(job)).toMatchObject({ status: "FAILED", error });
    }
  });

  test("7 500: a worker that crashes is no fault of a call: its job goes out again", async () => {
    const answer = at.post("runsync", { input: {} });
    const { id } = (await at.worker.take()).json;
    await at.worker.ping([id]);
    await at.clock.advance(20_000);
    const other = await at.server.worker(at.id);
    expect((await other.take()).json.id).toBe(id);
    await other.done(id, { output: 1 });
    expect(await answer).toMatchObject({ status: 200, json: { status: "COMPLETED", retries: 1 } });
  });
});

describe("spec 7, a fault of the server", () => {
  /** Beside the database, in a file of its own, because it is large. */
  const output = "x".repeat(100_000);

  /** What status answers once the file of the output has been damaged; the log has the cause. */
  async function expectFault(damage: (path: string) => Promise<void>): Promise<void> {
    await using directory = await temporaryDirectory();
    const data = join(directory.path, "data");
    const at = await OneEndpoint.start({ data });
    const job = await at.jobIn("IN_PROGRESS");
    await at.worker.done(job, { output });
    expect((await at.status(job)).output).toBe(output);
    const files = await readdir(join(data, "payloads"));
    expect(files).toHaveLength(1);
    await damage(join(data, "payloads", files[0] ?? ""));

    const { status, json, text } = await at.get(`status/${job}`);
    expect([status, json.code, json.status]).toEqual([500, "PAYLOAD_DAMAGED", 500]);
    expect(json.error).toContain("is damaged and cannot be read");
    const entry = at.server.log.entries.splice(0).find(({ level }) => level === "error");
    expect(String(entry?.fields?.["where"])).toContain(join(data, "payloads", files[0] ?? ""));
    // The file is for the operator alone.
    expect(text).not.toContain(directory.path);
    expect((await at.get("health")).status).toBe(200);
    await at.stop();
  }

  test("7 500: a result that cannot be read is 500, and the log names its file", () =>
    expectFault(async (path) => {
      await rm(path);
      await mkdir(path);
    }));

  test("7 500: a result that is cut off is 500, and never answered as if it were whole", () =>
    expectFault((path) => truncate(path, 50_000)));
});
