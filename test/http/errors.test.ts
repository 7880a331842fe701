import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rawRequest } from "../support/raw-request.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { answerOf } from "../support/answer.ts";

describe("every error is one JSON object that says what is wrong", () => {
  let server: TestServer;
  let endpoint: string;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
  });
  afterAll(() => server.stop());

  const plain = async (path: string, init?: RequestInit) =>
    answerOf(await fetch(`${server.url}${path}`, init));

  test.each([
    ["none", undefined, "KEY_MISSING"],
    ["empty", "", "KEY_MISSING"],
    ["an unknown key", "Bearer nonsense", "KEY_UNKNOWN"],
    ["the key of another scheme", `Basic ${TEST_KEY}`, "KEY_UNKNOWN"],
    ["a name and password", `Basic ${btoa("user:password")}`, "KEY_UNKNOWN"],
    ["a key with a space", `Bearer ${TEST_KEY} x`, "KEY_UNKNOWN"],
    ["two keys", `${TEST_KEY}, ${TEST_KEY}`, "KEY_UNKNOWN"],
  ])("5 rule 1: with %s as Authorization nothing is answered but the refusal", async (_name, key, code) => {
    const headers = key === undefined ? {} : { authorization: key };
    for (const path of [
      `/v2/${endpoint}/health`,
      "/v2/nowhere/health",
      "/v1/endpoints",
      `/v2/${endpoint}/job-take/x`,
    ]) {
      const { status, json } = await plain(path, { headers });
      expect([json.code, json.status]).toEqual([code, 401]);
      expect(status).toBe(json.status);
    }
  });

  test.each([TEST_KEY, `Bearer ${TEST_KEY}`, `bearer ${TEST_KEY}`, `BEARER  ${TEST_KEY}`])(
    "5 queue API, 5 management API: %p opens both",
    async (authorization) => {
      expect((await plain(`/v2/${endpoint}/health`, { headers: { authorization } })).status).toBe(200);
      expect((await plain("/v1/endpoints", { headers: { authorization } })).status).toBe(200);
    },
  );

  test.each([
    "/v2",
    "/v2/",
    "/v3/x/run",
    "/v2//run",
    "/v2/x/run//",
    "/v1/endpoints//",
    "/docs/",
    "/v2/%zz/health",
    "/v2/%e9/health",
    `/v2/${"x".repeat(2_293)}/health`,
    "/v1/endpoints/%/workers",
    "/v1/templates/a%20b",
    "/v2/%2e%2e/health",
    "/v2/x/status/%00",
    "/v2/x/status/%zz",
    "/v2/x/status/é",
    "/V2/x/health",
    "/v1/nothing",
    "/sdk/v4/x",
  ])("design row 14: the unknown path %s is a JSON 404", async (path) => {
    const { status, json } = await server.get(path);
    expect([status, json]).toEqual([
      404,
      { error: expect.any(String), code: "ROUTE_NOT_FOUND", status: 404 },
    ]);
  });

  test.each(["/x/../healthz", "/./healthz", "/x/%2e%2E/healthz"])(
    "RFC 3986, 5.2.4: %s is the path that its dot segments lead to",
    async (path) => {
      const request = { method: "GET", path, headers: [], body: "", end: "waits" } as const;
      expect(await rawRequest(server.url, request)).toBe(200);
    },
  );

  test.each(["PUT", "PATCH", "DELETE", "GET", "HEAD", "OPTIONS", "TRACE"])(
    "%s on a path that takes POST is 405, which names what it takes in Allow",
    async (method) => {
      const { status, headers } = await server.call(method, `/v2/${endpoint}/run`);
      expect(status).toBe(405);
      expect(headers.get("allow")).toBe("POST");
    },
  );

  test.each(["status", "status-sync", "stream", "cancel", "retry"])(
    "an unknown job is 404 in %s",
    async (operation) => {
      const method = ["cancel", "retry"].includes(operation) ? "POST" : "GET";
      const { status, json } = await server.call(method, `/v2/${endpoint}/${operation}/no-such-job`);
      expect([status, json.code]).toEqual([404, "JOB_NOT_FOUND"]);
    },
  );

  test("a job of another endpoint is 404, as a job that does not exist", async () => {
    const elsewhere = await server.endpoint();
    const id = await server.run(elsewhere);
    expect((await server.get(`/v2/${endpoint}/status/${id}`)).json.code).toBe("JOB_NOT_FOUND");
    expect((await server.post(`/v2/${endpoint}/cancel/${id}`)).json.code).toBe("JOB_NOT_FOUND");
    expect(await server.status(elsewhere, id)).toMatchObject({ status: "IN_QUEUE" });
  });

  test.each(["0", "-1", "604800001", "2147483648.5", "6000&ttl=6000", "abc"])(
    "reliability 5.12: status?ttl=%s is refused and changes nothing",
    async (ttl) => {
      const id = await server.run(endpoint);
      const { status, json } = await server.get(`/v2/${endpoint}/status/${id}?ttl=${ttl}`);
      expect([status, json.code]).toEqual([400, "INVALID_QUERY"]);
      expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE" });
    },
  );

  test("/healthz and /readyz answer without a key", async () => {
    const { status, json } = await plain("/healthz");
    expect([status, json]).toEqual([200, { status: "ok", time: expect.stringMatching(/\.\d{3}Z$/) }]);
    expect(await plain("/readyz")).toMatchObject({ status: 200, json: { status: "ok" } });
  });
});
