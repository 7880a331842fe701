import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secretBox } from "../../src/engine/secret-box.ts";
import { beginSession, sessionIn, SESSION_TIME } from "../../src/http/console/console-session.ts";
import type { Answer } from "../support/answer.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

describe("a session of the console", () => {
  const clock = new ManualClock();
  let server: TestServer;
  let endpoint: string;
  beforeAll(async () => {
    server = await TestServer.start({ clock, flags: { "public-url": "http://console.example" } });
    endpoint = await server.endpoint();
  });
  afterAll(() => server.stop());

  const NO_KEY = { authorization: "" };
  const own = (): Record<string, string> => ({ origin: server.url });

  function signIn(key: unknown, headers: Record<string, string> = own()): Promise<Answer> {
    return server.post("/console/session", { key }, { ...NO_KEY, ...headers });
  }

  /** The cookie of a new session, as a browser sends it back. */
  async function cookieOf(key: string): Promise<{ authorization: string; cookie: string }> {
    const set = (await signIn(key)).headers.get("set-cookie") ?? "";
    return { ...NO_KEY, cookie: `other=1; ${set.split(";")[0]}` };
  }

  const outcome = ({ status, json }: Answer): string => json?.code ?? String(status);

  test("begins with a key, opens what the key opens, and ends", async () => {
    const begun = await signIn(TEST_KEY);
    expect(begun.json).toEqual({ account: { id: "default", name: "default" }, scopes: ["admin"] });
    const set = begun.headers.get("set-cookie") ?? "";
    expect(set).toMatch(/^forebay-session=[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(begun.headers.get("cache-control")).toBe("no-store");
    const session = await cookieOf(TEST_KEY);
    expect((await server.get("/console/session", session)).json).toEqual(begun.json);
    expect((await server.get("/v1/endpoints", session)).status).toBe(200);
    expect((await server.post(`/v2/${endpoint}/run`, { input: {} }, { ...session, ...own() })).status).toBe(
      200,
    );
    const ended = await server.call("DELETE", "/console/session", undefined, { ...session, ...own() });
    expect([ended.status, ended.headers.get("set-cookie")]).toEqual([
      204,
      "forebay-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    ]);
  });

  test("tells of a key what it may, and no more", async () => {
    const { authorization } = await server.key("read", { endpoints: [endpoint] });
    const session = await cookieOf(authorization.replace("Bearer ", ""));
    const { json } = await server.get("/console/session", session);
    expect(json).toMatchObject({ scopes: ["read"], endpoints: [endpoint] });
    expect(outcome(await server.get("/v1/endpoints", session))).toBe("KEY_NOT_ALLOWED");
    expect((await server.get(`/v2/${endpoint}/health`, session)).status).toBe(200);
  });

  test("is refused to a key that is not known, and to the token of a worker", async () => {
    expect(outcome(await signIn("nobody's"))).toBe("KEY_UNKNOWN");
    const worker = await server.worker(endpoint);
    expect(outcome(await signIn(worker.env["FOREBAY_WORKER_TOKEN"]))).toBe("KEY_NOT_ALLOWED");
    expect(outcome(await signIn(""))).toBe("INVALID_FIELD");
    const { authorization } = await server.key("metrics");
    expect(outcome(await signIn(authorization.replace("Bearer ", "")))).toBe("KEY_NOT_ALLOWED");
    expect((await signIn("nobody's")).headers.get("set-cookie")).toBeNull();
  });

  test("T15: nothing changes by it unless a page of this server asks", async () => {
    const session = await cookieOf(TEST_KEY);
    const ask = (headers: Record<string, string>): Promise<Answer> =>
      server.post(`/v2/${endpoint}/run`, { input: {} }, { ...session, ...headers });
    const { host } = new URL(server.url);
    for (const origin of [
      "http://evil.example",
      `${server.url}.evil.example`,
      "null",
      "",
      `http://${host}@evil`,
    ]) {
      expect([origin, outcome(await ask({ origin }))]).toEqual([origin, "KEY_NOT_ALLOWED"]);
    }
    expect(outcome(await ask({}))).toBe("KEY_NOT_ALLOWED");
    expect(outcome(await ask({ ...own(), "sec-fetch-site": "cross-site" }))).toBe("KEY_NOT_ALLOWED");
    expect(outcome(await ask({ ...own(), "sec-fetch-site": "same-site" }))).toBe("KEY_NOT_ALLOWED");
    expect((await ask({ ...own(), "sec-fetch-site": "same-origin" })).status).toBe(200);
    // Behind a proxy the host that is asked for is another one than that of the page.
    expect((await ask({ origin: "http://console.example" })).status).toBe(200);
  });

  test("T15: a form or text that another page has sent changes nothing by it", async () => {
    const session = await cookieOf(TEST_KEY);
    const before = (await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue;
    const body = '{"input":{"a":"="}}';
    for (const type of [
      "application/x-www-form-urlencoded",
      "text/plain",
      "multipart/form-data; boundary=x",
    ]) {
      const send = (headers: Record<string, string>): Promise<Answer> =>
        server.post(`/v2/${endpoint}/run`, body, { ...session, "content-type": type, ...headers });
      expect(outcome(await send({ origin: "http://evil.example" }))).toBe("KEY_NOT_ALLOWED");
      expect(outcome(await send({ origin: "null", "sec-fetch-site": "cross-site" }))).toBe("KEY_NOT_ALLOWED");
      expect(outcome(await send({}))).toBe("KEY_NOT_ALLOWED");
      // The console itself sends JSON, so not even its own Origin makes a form good.
      expect(outcome(await send(own()))).toBe("MEDIA_TYPE_NOT_SUPPORTED");
      const key = JSON.stringify({ key: TEST_KEY });
      const signedIn = await server.post("/console/session", key, { ...NO_KEY, "content-type": type });
      expect(outcome(signedIn)).toBe("MEDIA_TYPE_NOT_SUPPORTED");
      // With a key in the header the cookie does not count.
      expect(outcome(await send({ authorization: TEST_KEY, origin: "http://evil.example" }))).toBe("200");
    }
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(before + 3);
  });

  test("T15: no GET changes anything by it, however it is written", async () => {
    const session = await cookieOf(TEST_KEY);
    const job = await server.run(endpoint);
    for (const path of [
      `/v2/${endpoint}/status/${job}?ttl=10000`,
      `/v2/${endpoint}/status/${job}?%74tl=10000`,
      `/sdk/v2/${endpoint}/status/${job}?a=1&ttl=10000`,
      `/v2/${endpoint}/openai/v1/models`,
    ]) {
      expect([path, (await server.get(path, session)).json.code]).toEqual([path, "KEY_NOT_ALLOWED"]);
    }
    expect((await server.get(`/v2/${endpoint}/status/${job}`, session)).status).toBe(200);
    const foreign = { ...session, "sec-fetch-site": "cross-site" };
    expect(outcome(await server.get(`/v2/${endpoint}/status/${job}`, foreign))).toBe("KEY_NOT_ALLOWED");
  });

  test("T15: no other page signs a person in, or out", async () => {
    const foreign = { origin: "http://evil.example" };
    expect(outcome(await signIn(TEST_KEY, foreign))).toBe("KEY_NOT_ALLOWED");
    const ended = await server.call("DELETE", "/console/session", undefined, foreign);
    expect(outcome(ended)).toBe("KEY_NOT_ALLOWED");
  });

  test("a cookie of a page of https is sent over https only", async () => {
    const origin = { origin: "https://console.example" };
    const set = (await signIn(TEST_KEY, origin)).headers.get("set-cookie");
    expect(set).toEndWith("; Secure");
  });

  test("ends with its key, at once", async () => {
    const { json } = await server.post("/v1/keys", { name: "short", scopes: ["read"] });
    const session = await cookieOf(json.key);
    expect((await server.get("/console/session", session)).status).toBe(200);
    await server.call("DELETE", `/v1/keys/${json.id}`);
    expect(outcome(await server.get("/console/session", session))).toBe("KEY_UNKNOWN");
  });

  test("is over after twelve hours, whoever keeps the cookie", () => {
    let now = 1_000;
    const clock = { now: () => now, after: () => () => undefined };
    const box = secretBox(["key"]);
    const [, cookie = ""] = /=([\w-]+);/.exec(beginSession(box, clock, "the key", false)) ?? [];
    now += SESSION_TIME - 1;
    expect(sessionIn(box, clock, cookie)?.key).toBe("the key");
    expect(sessionIn(secretBox(["another"]), clock, cookie)).toBeUndefined();
    now += 1;
    expect(sessionIn(box, clock, cookie)).toBeUndefined();
  });

  test("ends with the secret key that sealed it, and a cookie that was changed opens nothing", async () => {
    const earlier = await cookieOf(TEST_KEY);
    expect((await server.get("/console/session", earlier)).status).toBe(200);
    expect((await server.post("/v1/secrets/rotate", {})).json.previousKeyRemoved).toBe(true);
    expect(outcome(await server.get("/console/session", earlier))).toBe("KEY_UNKNOWN");
    const session = await cookieOf(TEST_KEY);
    expect((await server.get("/console/session", session)).status).toBe(200);
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".split("");
    const kept = session.cookie.slice(0, -1);
    // The last letter has bits that decoding ignores.
    const changed = letters.map((letter) => kept + letter).filter((cookie) => cookie !== session.cookie);
    for (let at = kept.lastIndexOf("=") + 1; at < kept.length; at++) {
      const letter = kept[at] === "A" ? "B" : "A";
      changed.push(session.cookie.slice(0, at) + letter + session.cookie.slice(at + 1));
    }
    for (const cookie of changed) {
      const answer = await server.get("/console/session", { ...session, cookie });
      expect([cookie, outcome(answer)]).toEqual([cookie, "KEY_UNKNOWN"]);
    }
    const rubbish = { ...session, cookie: "forebay-session=abc" };
    expect(outcome(await server.get("/console/session", rubbish))).toBe("KEY_UNKNOWN");
    expect((await server.get("/console/session", { ...rubbish, authorization: TEST_KEY })).status).toBe(200);
  });
});

describe("the files of the console", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const names = async (): Promise<string[]> => {
    const { text } = await server.get("/console", { authorization: "" });
    return [...text.matchAll(/\/console\/assets\/([\w-]+)/g)].map(([, name = ""]) => name);
  };

  test("T7: are served with a policy by which nothing else runs, and no text becomes a script", async () => {
    const [name = ""] = await names();
    for (const path of ["/console", `/console/assets/${name}`]) {
      const { headers } = await server.get(path, { authorization: "" });
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
      expect(policy).toContain(
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
      expect(policy).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  test("are kept by browsers for a year, and a name that no file has is not found", async () => {
    const [name = "", ...others] = await names();
    expect(others.length).toBe(1);
    const { status, headers } = await server.get(`/console/assets/${name}`, { authorization: "" });
    expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    const absent = await server.get("/console/assets/main-0000", { authorization: "" });
    expect(absent.json.code).toBe("ROUTE_NOT_FOUND");
  });

  test("are at most 150 kB of script in all as they are sent, and 20 kB to sign in", async () => {
    const seen = new Map<string, number>();
    const queue = (await names()).filter((name) => name.startsWith("main-"));
    const first = queue[0] ?? "";
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (seen.has(name)) continue;
      const { text } = await server.get(`/console/assets/${name}`);
      seen.set(name, Bun.gzipSync(text).length);
      queue.push(...[...text.matchAll(/\/console\/assets\/([\w-]+)/g)].map(([, found = ""]) => found));
    }
    const total = [...seen.values()].reduce((sum, bytes) => sum + bytes, 0);
    expect(seen.size).toBeGreaterThan(1);
    expect(total).toBeLessThan(150_000);
    expect(seen.get(first)).toBeLessThan(20_000);
  });
});
