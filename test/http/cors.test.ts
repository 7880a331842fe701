import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

const PAGE = "https://app.example.com";

const preflightOf = (url: string, origin: string) =>
  fetch(url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-stainless-lang",
    },
  });

const allowed = ({ headers }: Response): string | null => headers.get("access-control-allow-origin");

describe("web pages of other origins", () => {
  let server: TestServer;
  let endpoint: string;
  beforeAll(async () => {
    server = await TestServer.start({ flags: { "cors-origins": `${PAGE},http://localhost:5173` } });
    endpoint = await server.endpoint();
  });
  afterAll(() => server.stop());

  const call = (origin: string, authorization = TEST_KEY) =>
    fetch(`${server.url}/v2/${endpoint}/run`, {
      method: "POST",
      headers: { origin, authorization },
      body: '{"input":{}}',
    });

  test("a page whose origin is named asks first, and may call with a key", async () => {
    const asked = await preflightOf(`${server.url}/v2/${endpoint}/run`, PAGE);
    expect([asked.status, allowed(asked)]).toEqual([204, PAGE]);
    expect(asked.headers.get("access-control-allow-headers")).toBe(
      "authorization,content-type,x-stainless-lang",
    );
    expect(asked.headers.get("access-control-allow-methods")).toContain("DELETE");
    const answer = await call(PAGE);
    expect([answer.status, allowed(answer), answer.headers.get("vary")]).toEqual([200, PAGE, "Origin"]);
    expect(answer.headers.get("access-control-expose-headers")).toContain("retry-after");
  });

  test("it reads errors as well", async () => {
    const answer = await call(PAGE, "wrong");
    expect([answer.status, allowed(answer)]).toEqual([401, PAGE]);
  });

  test.each([
    "https://elsewhere.example",
    `${PAGE}.evil.example`,
    "null",
    `${PAGE}:8443`,
    "http://app.example.com",
  ])("a page of %s is not allowed", async (origin) => {
    const asked = await preflightOf(`${server.url}/v2/${endpoint}/run`, origin);
    expect([asked.status, allowed(asked)]).toEqual([405, null]);
    const answer = await call(origin);
    expect([allowed(answer), answer.headers.get("vary")]).toEqual([null, "Origin"]);
  });

  test("no page elsewhere reaches the session of the console, and no cookie is ever allowed", async () => {
    for (const path of ["/console/session", "/sdk/console/session", "/console", "/console?x"]) {
      expect([path, allowed(await preflightOf(`${server.url}${path}`, PAGE))]).toEqual([path, null]);
    }
    const answer = await fetch(`${server.url}/console/session`, {
      headers: { origin: PAGE, authorization: TEST_KEY },
    });
    expect(allowed(answer)).toBe(null);
    for (const response of [await preflightOf(`${server.url}/v1/endpoints`, PAGE), await call(PAGE)]) {
      expect(response.headers.get("access-control-allow-credentials")).toBe(null);
    }
  });

  test("the cookie of the console opens nothing to a page elsewhere whose origin is named", async () => {
    const signedIn = await server.post("/console/session", { key: TEST_KEY }, { origin: server.url });
    const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";");
    expect(cookie).not.toBe("");
    const answer = await fetch(`${server.url}/v2/${endpoint}/run`, {
      method: "POST",
      headers: { origin: PAGE, cookie, "content-type": "application/json" },
      body: '{"input":{}}',
    });
    expect(answer.status).toBe(401);
  });
});

test("without --cors-origins no page of another origin is allowed", async () => {
  const server = await TestServer.start();
  const asked = await preflightOf(`${server.url}/v1/endpoints`, PAGE);
  expect([asked.status, allowed(asked)]).toEqual([405, null]);
  expect(allowed(await fetch(`${server.url}/healthz`, { headers: { origin: PAGE } }))).toBe(null);
  await server.stop();
});

test("with * any page may call, with a key alone", async () => {
  const server = await TestServer.start({ flags: { "cors-origins": "*" } });
  const answer = await fetch(`${server.url}/v1/endpoints`, {
    headers: { origin: PAGE, authorization: TEST_KEY },
  });
  expect([answer.status, allowed(answer)]).toEqual([200, "*"]);
  expect(answer.headers.get("access-control-allow-credentials")).toBe(null);
  expect(allowed(await preflightOf(`${server.url}/console/session`, PAGE))).toBe(null);
  await server.stop();
});

test.each([
  "app.example.com",
  "https://app.example.com/",
  "https://a.example, https://b.example",
  "*,https://a.example",
])("--cors-origins %s is refused with an example", async (given) => {
  await expect(TestServer.start({ flags: { "cors-origins": given } })).rejects.toThrow(
    "https://app.example.com",
  );
});
