import { describe, expect, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";

const OWN = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

describe("request ids", () => {
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ server, endpoint } = fresh));

  const idOf = async (path: string, headers: Record<string, string> = {}) =>
    (await server.get(path, headers)).headers.get("x-request-id");

  test("each answer has one, its own or the caller's, also an error", async () => {
    for (const path of ["/healthz", `/v2/${endpoint}/health`, "/v1/endpoints", "/nothing", "/metrics"]) {
      const own = await idOf(path);
      expect(own).toMatch(OWN);
      expect(await idOf(path)).not.toBe(own);
      expect(await idOf(path, { "x-request-id": "trace-1/a.b:c=d" })).toBe("trace-1/a.b:c=d");
    }
    expect(await idOf(`/v2/${endpoint}/health`, { authorization: "", "x-request-id": "mine" })).toBe("mine");
  });

  test("an id that a log could not contain is not used", async () => {
    for (const wrong of ["a b", 'a"b', "a,b", "é", "<a>", "a".repeat(129), "${x}"]) {
      expect(await idOf("/healthz", { "x-request-id": wrong })).toMatch(OWN);
    }
  });

  test("a fault of the server is logged with the id of its request", async () => {
    const { store } = server.forebay.engine;
    const { counts } = store;
    store.counts = () => Promise.reject(new Error("broken"));
    const answer = await server.get(`/v2/${endpoint}/health`, { "x-request-id": "first" });
    expect(answer.status).toBe(500);
    store.counts = counts;
    const line = server.log.entries.splice(0).find(({ level }) => level === "error");
    expect(line).toMatchObject({ message: "a request failed", fields: { requestId: "first" } });
    expect(answer.json.error).toContain(String(line?.fields?.["id"]));
  });

  test("an id opens nothing: only the key identifies the caller", async () => {
    const key = await server.key("read");
    const headers = { ...key, "x-request-id": "same" };
    expect((await server.get(`/v2/${endpoint}/health`, headers)).status).toBe(200);
    expect((await server.get(`/v2/${endpoint}/health`, { ...headers, authorization: "" })).status).toBe(401);
  });
});
