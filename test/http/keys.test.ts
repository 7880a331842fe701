import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { digestOf } from "../../src/engine/digest.ts";
import { ManualClock } from "../support/manual-clock.ts";
import type { Answer } from "../support/answer.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const DAY = 86_400_000;

describe("a key opens what its scopes say, and nothing else", () => {
  let clock: ManualClock;
  let server: TestServer;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await TestServer.start({ clock });
  });
  afterEach(() => server.stop());

  /** A new key of the default account. */
  const made = async (fields: Record<string, unknown> = {}) =>
    (await server.post("/v1/keys", { name: crypto.randomUUID(), scopes: ["read"], ...fields })).json;
  const codeOf = ({ status, json }: Answer): [number, unknown] => [status, json?.code];
  const list = (key: string) => server.get("/v1/endpoints", bearer(key));

  test("a key is shown once, when it is made; the list has what it may do", async () => {
    const { status, json } = await server.post("/v1/keys", { name: "ci", scopes: ["write", "write"] });
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/),
      key: expect.stringMatching(new RegExp(`^fbk_${json.id}_[\\w-]{51}$`)),
      account: "default",
      name: "ci",
      scopes: ["write"],
      createdAt: expect.stringMatching(/^20/),
    });
    const { key, ...shown } = json;
    const listed = await server.get("/v1/keys");
    expect(listed.json).toEqual({ keys: [shown] });
    expect(listed.text).not.toContain(key);
  });

  test("T10: a key is taken raw and as a Bearer token in any case, and no other text is", async () => {
    const { key, id } = await made({ scopes: ["manage"] });
    for (const authorization of [key, `Bearer ${key}`, `bearer ${key}`, `BEARER ${key}`]) {
      expect((await server.get("/v1/endpoints", { authorization })).status).toBe(200);
    }
    const last = key.at(-1) === "0" ? "1" : "0";
    const other = (await made({ scopes: ["manage"] })).key;
    const swapped = `fbk_${id}_${other.split("_").slice(2).join("_")}`;
    for (const wrong of [
      key.slice(0, -1),
      key.slice(0, -1) + last,
      `${key}0`,
      key.toUpperCase(),
      swapped,
      id,
    ]) {
      expect(codeOf(await list(wrong))).toEqual([401, "KEY_UNKNOWN"]);
    }
  });

  test("a key that lacks the scope is 401 KEY_NOT_ALLOWED with the scope that it takes", async () => {
    const { key } = await made({ scopes: ["read", "write"] });
    const { status, json } = await list(key);
    expect([status, json.code]).toEqual([401, "KEY_NOT_ALLOWED"]);
    expect(json.error).toBe("This call requires a key with the scope manage; this key has read and write.");
  });

  test("T17: ttl in a status takes a key that may write, and without it changes nothing", async () => {
    const endpoint = await server.endpoint();
    const id = await server.run(endpoint);
    const { key } = await made();
    const path = `/v2/${endpoint}/status/${id}`;
    expect((await server.get(path, bearer(key))).status).toBe(200);
    expect(codeOf(await server.get(`${path}?ttl=1`, bearer(key)))).toEqual([401, "KEY_NOT_ALLOWED"]);
    await clock.advance(1_000);
    expect((await server.status(endpoint, id)).status).toBe("IN_QUEUE");
    const writer = await made({ scopes: ["write"] });
    expect((await server.get(`${path}?ttl=1`, bearer(writer.key))).status).toBe(200);
    await clock.advance(1_000);
    expect((await server.status(endpoint, id)).status).toBe("TIMED_OUT");
  });

  test("a key bound to endpoints opens those, and others are as if they were not there", async () => {
    const [ours, others] = [await server.endpoint(), await server.endpoint()];
    const { key } = await made({ scopes: ["manage"], endpoints: [ours] });
    expect((await server.post(`/v2/${ours}/run`, { input: {} }, bearer(key))).status).toBe(200);
    expect((await server.get(`/v1/endpoints/${ours}`, bearer(key))).status).toBe(200);
    for (const id of [others, "absent"]) {
      const { status, json } = await server.get(`/v1/endpoints/${id}`, bearer(key));
      expect([status, json]).toEqual([
        404,
        { error: `There is no endpoint ${id}.`, code: "ENDPOINT_NOT_FOUND", status: 404 },
      ]);
    }
    expect(codeOf(await list(key))).toEqual([401, "KEY_NOT_ALLOWED"]);
    const wish = { name: "more", scopes: ["manage"] };
    expect(codeOf(await server.post("/v1/keys", wish, bearer(key)))).toEqual([401, "KEY_NOT_ALLOWED"]);
  });

  test.each<[fields: Record<string, unknown>, code: string]>([
    [{ name: "" }, "INVALID_FIELD"],
    [{ name: "a\0" }, "INVALID_FIELD"],
    [{ scopes: [] }, "INVALID_FIELD"],
    [{ scopes: ["root"] }, "INVALID_FIELD"],
    [{ scopes: "read" }, "INVALID_FIELD"],
    [{ endpoints: [] }, "INVALID_FIELD"],
    [{ endpoints: ["absent"] }, "ENDPOINT_NOT_FOUND"],
    [{ scopes: ["admin"], endpoints: ["absent"] }, "INVALID_FIELD"],
    [{ account: "absent" }, "ACCOUNT_NOT_FOUND"],
    [{ key: "my own" }, "INVALID_FIELD"],
  ])("%p makes no key: %s", async (fields, code) => {
    const { json } = await server.post("/v1/keys", { name: "a", scopes: ["read"], ...fields });
    expect(json.code).toBe(code);
    expect((await server.get("/v1/keys")).json).toEqual({ keys: [] });
  });

  test("no key makes, rotates or revokes one that may do more than itself", async () => {
    const manager = bearer((await made({ scopes: ["manage"] })).key);
    const admin = await made({ scopes: ["admin"] });
    for (const scope of ["admin", "metrics"]) {
      const wish = { name: "more", scopes: ["manage", scope] };
      expect(codeOf(await server.post("/v1/keys", wish, manager))).toEqual([401, "KEY_NOT_ALLOWED"]);
    }
    const path = `/v1/keys/${admin.id}`;
    expect(codeOf(await server.post(`${path}/rotate`, {}, manager))).toEqual([401, "KEY_NOT_ALLOWED"]);
    expect(codeOf(await server.call("DELETE", path, undefined, manager))).toEqual([401, "KEY_NOT_ALLOWED"]);
    expect((await server.get("/v1/accounts", bearer(admin.key))).status).toBe(200);
  });

  test("rateLimits are for admins to raise", async () => {
    const manager = bearer((await made({ scopes: ["manage"] })).key);
    const rateLimits = { run: { requests: 5_000 } };
    const refused = await server.post("/v1/endpoints", { name: "a", rateLimits }, manager);
    expect(codeOf(refused)).toEqual([401, "KEY_NOT_ALLOWED"]);
    const { id } = (await server.post("/v1/endpoints", { name: "a" }, manager)).json;
    const path = `/v1/endpoints/${id}`;
    expect(codeOf(await server.call("PATCH", path, { rateLimits }, manager))).toEqual([
      401,
      "KEY_NOT_ALLOWED",
    ]);
    expect((await server.call("PATCH", path, { rateLimits })).json.rateLimits).toEqual(rateLimits);
    expect((await server.call("PATCH", path, { rateLimits: null }, manager)).json.rateLimits).toBeUndefined();
  });

  test("rotation: the key before goes on for the overlap, and no longer", async () => {
    const first = await made({ scopes: ["manage"] });
    const { json: second } = await server.post(`/v1/keys/${first.id}/rotate`, { overlapMs: 60_000 });
    expect(second).toMatchObject({ id: first.id, name: first.name, scopes: first.scopes });
    expect(second.previousUntil).toBe(new Date(clock.now() + 60_000).toISOString());
    await clock.advance(59_999);
    for (const { key } of [first, second]) expect((await list(key)).status).toBe(200);
    await clock.advance(1);
    expect(codeOf(await list(first.key))).toEqual([401, "KEY_UNKNOWN"]);
    expect((await list(second.key)).json).toEqual([]);
    expect((await server.get("/v1/keys")).json.keys[0].previousUntil).toBeUndefined();

    // A second rotation ends the overlap of the first; 0 ends it at once; without a word it is a day.
    const third = (await server.post(`/v1/keys/${first.id}/rotate`)).json;
    expect(third.previousUntil).toBe(new Date(clock.now() + DAY).toISOString());
    const fourth = (await server.post(`/v1/keys/${first.id}/rotate`, { overlapMs: 0 })).json;
    expect(codeOf(await list(third.key))).toEqual([401, "KEY_UNKNOWN"]);
    expect(codeOf(await list(second.key))).toEqual([401, "KEY_UNKNOWN"]);
    expect((await list(fourth.key)).status).toBe(200);
  });

  test("a key from before there were scopes is an admin, and is rotated like any other", async () => {
    const { engine } = server.forebay;
    const text = `fbk_${"a".repeat(43)}`;
    const body = { id: "old", account: "default", name: "admin", digest: digestOf(text) };
    const { id, account, name } = body;
    const record = { kind: "key", id, account, name, version: 1, body: JSON.stringify(body) } as const;
    await engine.store.apply([{ step: "put", record }], clock.now());
    await engine.configuration.refresh();
    expect((await server.get("/v1/accounts", bearer(text))).status).toBe(200);
    const { json } = await server.post("/v1/keys/old/rotate", { overlapMs: 1_000 }, bearer(text));
    expect([(await list(text)).status, (await list(json.key)).status]).toEqual([200, 200]);
    await clock.advance(1_000);
    expect([(await list(text)).status, (await list(json.key)).status]).toEqual([401, 200]);
  });

  describe("T10: a revoked key", () => {
    /** A call of this key that waits: no time passes but by the test. */
    async function parked(key: string, operation: string): Promise<{ answer: Promise<Answer> }> {
      const endpoint = await server.endpoint();
      const id = await server.run(endpoint);
      const path = `/v2/${endpoint}/${operation}`;
      const wait = "?wait=300000";
      const answer =
        operation === "runsync"
          ? server.post(path + wait, { input: {} }, bearer(key))
          : server.get(`${path}/${id}${wait}`, bearer(key));
      await until("the call has shown its key", async () => {
        const { json } = await server.get("/v1/keys");
        return json.keys.some(({ lastUsedAt }: { lastUsedAt?: string }) => lastUsedAt !== undefined);
      });
      return { answer };
    }

    test.each([
      ["status-sync", 401],
      ["stream", 401],
      // Its status has left with the id of the job.
      ["runsync", 200],
    ])("ends %s that is parked with it", async (operation, status) => {
      const { id, key } = await made({ scopes: ["write"] });
      const { answer } = await parked(key, operation);
      await server.call("DELETE", `/v1/keys/${id}`);
      const { json, ...rest } = await answer;
      expect([rest.status, json.code]).toEqual([status, "KEY_UNKNOWN"]);
    });

    test("that was rotated ends what is parked with it when the overlap ends", async () => {
      const { id, key } = await made({ scopes: ["write"] });
      const { answer } = await parked(key, "status-sync");
      await server.post(`/v1/keys/${id}/rotate`, { overlapMs: 5_000 });
      await clock.advance(4_999);
      for (let later = 0; later < 5; later++) await server.get("/healthz");
      expect(await Promise.race([answer, Promise.resolve("waits")])).toBe("waits");
      await clock.advance(1);
      expect(codeOf(await answer)).toEqual([401, "KEY_UNKNOWN"]);
    });

    test("opens nothing from then on", async () => {
      const { id, key } = await made({ scopes: ["manage"] });
      expect((await server.call("DELETE", `/v1/keys/${id}`)).status).toBe(204);
      expect(codeOf(await list(key))).toEqual([401, "KEY_UNKNOWN"]);
      expect(codeOf(await server.call("DELETE", `/v1/keys/${id}`))).toEqual([404, "KEY_NOT_FOUND"]);
    });
  });

  test("when a key was last used is known at once here, and to the minute after a restart", async () => {
    await using directory = await temporaryDirectory();
    const flags = { data: directory.path };
    const first = await TestServer.start({ flags, clock });
    const { id, key } = (await first.post("/v1/keys", { name: "a", scopes: ["manage"] })).json;
    const usedAt = async (there: TestServer) =>
      (await there.get("/v1/keys")).json.keys.find((shown: { id: string }) => shown.id === id).lastUsedAt;
    expect(await usedAt(first)).toBeUndefined();
    await first.get("/v1/endpoints", bearer(key));
    const at = new Date(clock.now()).toISOString();
    expect(await usedAt(first)).toBe(at);
    await first.stop();
    const second = await TestServer.start({ flags, clock });
    expect(await usedAt(second)).toBe(at);
    expect((await second.get("/v1/endpoints", bearer(key))).status).toBe(200);
    await second.stop();
  });
});
