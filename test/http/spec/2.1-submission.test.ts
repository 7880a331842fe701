import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 2.1, the submission", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  /** The codes that run and runsync answer, and how many jobs there are afterwards. */
  async function expectRefused(body: Record<string, unknown>, named: string): Promise<void> {
    for (const operation of ["run", "runsync"]) {
      const { status, json } = await at.post(operation, body);
      expect([operation, status, json.code]).toEqual([operation, 400, "INVALID_FIELD"]);
      expect(json.error).toContain(named);
    }
    expect((await at.get("health")).json.jobs.inQueue).toBe(0);
  }

  test("2.1 input: required, an object, and reaches the worker byte for byte", async () => {
    await expectRefused({}, "input");
    for (const input of [null, [], "x", 1, true]) await expectRefused({ input }, "input");
    const body = '{"input":{"n":9007199254740993, "x":1.0,"é":"\\ud83d\\ude00", "n":{"deep":[null]}}}';
    const { json } = await at.post("run", body);
    expect((await at.worker.take()).text).toBe(`{"id":"${json.id}",${body.slice(1)}`);
  });

  test("2.1 webhook: an http or https address, or nothing", async () => {
    for (const webhook of ["nowhere", "file:///etc/passwd", 1, {}]) {
      await expectRefused({ input: {}, webhook }, "webhook");
    }
    for (const webhook of ["https://a.example/hook?a=b", "http://a.example", null, ""]) {
      expect((await at.post("run", { input: {}, webhook })).status).toBe(200);
    }
  });

  test("2.1 policy: an object, or nothing", async () => {
    for (const policy of ["x", 1, [], true]) await expectRefused({ input: {}, policy }, "policy");
    for (const policy of [{}, null]) {
      expect((await at.post("run", { input: {}, policy })).status).toBe(200);
    }
  });

  test("2.1 s3Config: an object, or nothing", async () => {
    for (const s3Config of ["x", 1, [], true]) await expectRefused({ input: {}, s3Config }, "s3Config");
    for (const s3Config of [{}, null]) {
      expect((await at.post("run", { input: {}, s3Config })).status).toBe(200);
    }
  });
});
