import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../support/answer.ts";
import { CHAT, ModelServer } from "../support/model-server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("errors of the OpenAI route", () => {
  let at: ModelServer;
  beforeEach(async () => {
    at = await ModelServer.start();
  });
  afterEach(() => at.stop());

  async function refused(answer: Promise<Answer>): Promise<unknown> {
    const { status, json } = await answer;
    expect(json.error).toEqual({
      message: expect.any(String),
      type: expect.any(String),
      param: null,
      code: expect.any(String),
    });
    return [status, json.code, json.error.code, json.error.type];
  }

  test("a key that is missing, wrong or not allowed is refused in OpenAI's shape", async () => {
    const nobody = { authorization: "" };
    const invalid = ["invalid_api_key", "invalid_request_error"];
    expect(await refused(at.server.post(at.path(CHAT), {}, nobody))).toEqual([
      401,
      "KEY_MISSING",
      ...invalid,
    ]);
    expect(await refused(at.server.get(at.path("v1/models", "/sdk"), { authorization: "x" }))).toEqual([
      401,
      "KEY_UNKNOWN",
      ...invalid,
    ]);
    const reader = await at.server.key("read");
    expect(await refused(at.server.post(at.path(CHAT), {}, reader))).toEqual([
      401,
      "KEY_NOT_ALLOWED",
      "KEY_NOT_ALLOWED",
      invalid[1],
    ]);
  });

  test.each<[string, string, unknown, Record<string, string>, number, string]>([
    ["no JSON", CHAT, "{", {}, 400, "MALFORMED_JSON"],
    ["an array", CHAT, [], {}, 400, "INVALID_FIELD"],
    ["nothing", CHAT, "", {}, 400, "MALFORMED_JSON"],
    ["a text as stream", CHAT, { stream: "yes" }, {}, 400, "INVALID_FIELD"],
    ["a number as stream", CHAT, { stream: 1 }, {}, 400, "INVALID_FIELD"],
    [
      "a form",
      "v1/audio/transcriptions",
      "x",
      { "content-type": "multipart/form-data; boundary=x" },
      400,
      "MALFORMED_JSON",
    ],
    ["too much", CHAT, { text: "x".repeat(20 * 1_048_576) }, {}, 413, "BODY_TOO_LARGE"],
    ["no path", "", {}, {}, 404, "ROUTE_NOT_FOUND"],
    ["a doubled slash", "v1//chat", {}, {}, 404, "ROUTE_NOT_FOUND"],
    ["what no path has", "v1/%00", {}, {}, 404, "ROUTE_NOT_FOUND"],
  ])("%s is refused, and makes no job", async (_name, route, body, headers, status, code) => {
    const [told, ours] = (await refused(at.server.post(at.path(route), body, headers))) as unknown[];
    expect([told, ours]).toEqual([status, code]);
    expect((await at.server.get(`/v2/${at.endpoint}/health`)).json.jobs.inQueue).toBe(0);
  });

  test("another method, another endpoint", async () => {
    const get = await at.server.get(at.path(CHAT));
    expect([get.status, get.headers.get("allow"), get.json.code]).toEqual([
      405,
      "POST",
      "METHOD_NOT_ALLOWED",
    ]);
    const patch = await at.server.call("PATCH", at.path(CHAT), {});
    expect([patch.status, patch.json.error.code]).toEqual([405, "METHOD_NOT_ALLOWED"]);
    expect(await refused(at.server.post(`/v2/absent/openai/${CHAT}`, {}))).toEqual([
      404,
      "ENDPOINT_NOT_FOUND",
      "ENDPOINT_NOT_FOUND",
      "invalid_request_error",
    ]);
  });

  test("a key that is revoked ends calls that wait, streams too, and the jobs are cancelled", async () => {
    const { json: key } = await at.server.post("/v1/keys", { name: "caller", scopes: ["write"] });
    const call = (stream: boolean): Promise<Answer> =>
      at.server.post(at.path(CHAT), { stream }, { authorization: `Bearer ${key.key}` });
    const [events, whole] = [call(true), call(false)];
    const ids = [(await at.worker.take()).json.id, (await at.worker.take(1)).json.id];
    for (const id of ids) await at.worker.stream(id, { output: "data: {}\n\n" });
    const { waits } = at.server.forebay.engine;
    await until("both wait", () => waits.keys("end ").length + waits.keys("chunk ").length === 2);
    await at.server.call("DELETE", `/v1/keys/${key.id}`);
    expect(await refused(whole)).toEqual([401, "KEY_UNKNOWN", "invalid_api_key", "invalid_request_error"]);
    expect((await events).text).toContain('"code":"invalid_api_key"');
    for (const id of ids) {
      await until(
        "it is cancelled",
        async () => (await at.server.status(at.endpoint, id)).status === "CANCELLED",
      );
    }
  });

  test("a server that stops answers at once, streams too, and the jobs are cancelled", async () => {
    await using directory = await temporaryDirectory();
    const flags = { data: directory.path };
    const stopping = await TestServer.start({ flags });
    const at = await stopping.endpoint();
    const other = await stopping.worker(at);
    const call = (stream: boolean): Promise<Answer> => stopping.post(`/v2/${at}/openai/${CHAT}`, { stream });
    const [whole, events] = [call(false), call(true)];
    const ids = [(await other.take()).json.id, (await other.take(1)).json.id];
    for (const id of ids) await other.stream(id, { output: "data: {}\n\n" });
    const { engine } = stopping.forebay;
    await until(
      "both wait",
      () => engine.waits.keys("end ").length + engine.waits.keys("chunk ").length === 2,
    );
    await stopping.stop();
    expect(await refused(whole)).toEqual([503, "SHUTTING_DOWN", "SHUTTING_DOWN", "server_error"]);
    expect((await events).text).toContain('"code":"SHUTTING_DOWN"');
    const again = await TestServer.start({ flags });
    for (const id of ids) expect(await again.status(at, id)).toMatchObject({ status: "CANCELLED" });
    await again.stop();
  });
});
