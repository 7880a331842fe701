import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { OneEndpoint } from "./one-endpoint.ts";

const S3_CONFIG = {
  accessId: "an-id",
  accessSecret: "canary-of-the-storage",
  bucketName: "results",
  endpointUrl: "https://s3.example.com",
};

describe("spec 2.3, s3Config", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  /** A string reaches the worker; anything else is refused by name; nothing at all is fine. */
  async function expectString(name: keyof typeof S3_CONFIG): Promise<void> {
    for (const value of [1, null, {}, [], true]) {
      const { status, json } = await at.post("run", { input: {}, s3Config: { ...S3_CONFIG, [name]: value } });
      expect([value, status, json.code]).toEqual([value, 400, "INVALID_FIELD"]);
      expect(json.error).toContain(`s3Config.${name}`);
    }
    const s3Config = { ...S3_CONFIG, [name]: "another" };
    await at.submit({ s3Config });
    expect((await at.worker.take()).json.s3Config).toEqual(s3Config);
    const { [name]: _left, ...others } = S3_CONFIG;
    await at.submit({ s3Config: others });
    expect((await at.worker.take()).json.s3Config).toEqual(others);
  }

  test("2.3 accessId: a string", () => expectString("accessId"));
  test("2.3 accessSecret: a string", () => expectString("accessSecret"));
  test("2.3 bucketName: a string", () => expectString("bucketName"));
  test("2.3 endpointUrl: a string", () => expectString("endpointUrl"));

  test("2.3 handed over: it reaches the worker as it was sent, and stands in no answer", async () => {
    const sent = '{"accessSecret" : "canary-of-the-storage", "objectPath":"a/\\u0062", "n":1.0}';
    const submitted = await at.post("run", `{"input":{},"s3Config":${sent}}`);
    const { id } = submitted.json;
    const answers = [submitted, await at.get(`status/${id}`), await at.get("requests")];
    const handedOver = `{"id":"${id}","s3Config":${sent},"input":{}}`;
    expect((await at.worker.take()).text).toBe(handedOver);
    await at.worker.done(id, { error: "no" });
    answers.push(await at.get(`status/${id}`), await at.post(`retry/${id}`));
    answers.push(await at.server.get(`/v1/endpoints/${at.id}/jobs/${id}/input`));
    expect((await at.worker.take()).text).toBe(handedOver);
    answers.push(await at.post(`cancel/${id}`), await at.get(`stream/${id}`), await at.get("health"));
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text).not.toMatch(/s3Config|canary/);
    }
    expect(JSON.stringify(at.server.log.entries)).not.toContain("canary");
  });

  test("2.3 used by the worker: the server itself calls no storage", async () => {
    let calls = 0;
    const storage = createServer((_request, response) => {
      calls += 1;
      response.end();
    });
    await new Promise<void>((resolve) => storage.listen(0, "127.0.0.1", resolve));
    const { port } = storage.address() as AddressInfo;
    const endpointUrl = `http://127.0.0.1:${port}`;
    await at.jobIn("COMPLETED", { s3Config: { ...S3_CONFIG, endpointUrl } });
    await at.jobIn("FAILED", { s3Config: { ...S3_CONFIG, endpointUrl } });
    expect(calls).toBe(0);
    await new Promise((resolve) => storage.close(resolve));
  });

  test("2.3 any provider: whatever address and names a storage has, they pass", async () => {
    for (const endpointUrl of [
      "https://s3.eu-west-1.amazonaws.com",
      "https://account.r2.cloudflarestorage.com",
      "http://minio:9000",
      "nyc3.digitaloceanspaces.com",
    ]) {
      await at.submit({ s3Config: { ...S3_CONFIG, endpointUrl, region: "auto" } });
      expect((await at.worker.take()).json.s3Config).toMatchObject({ endpointUrl, region: "auto" });
    }
  });
});
