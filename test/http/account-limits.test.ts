import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { TestServer } from "../support/test-server.ts";

const MB = 1_048_576;

const SMALL = {
  "account-endpoints": "4",
  "account-templates": "4",
  "account-keys": "4",
  "account-registry-logins": "4",
  "account-worker-tokens": "4",
  "account-record-mb": "2",
  "account-release-mb": "2",
  "account-queued-mb": "2",
  "endpoint-queued-mb": "1",
};

const RECORDS: readonly [path: string, several: string, fields: Record<string, unknown>][] = [
  ["/v1/endpoints", "endpoints", {}],
  ["/v1/templates", "templates", { imageName: "team/a:1" }],
  ["/v1/keys", "API keys", { scopes: ["read"] }],
  ["/v1/containerregistryauth", "registry logins", { username: "u", password: "p" }],
];

describe("the limits of an account", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ flags: SMALL });
  });
  afterAll(() => server.stop());

  /** The key of a new account; it is the account's only one. */
  async function account(): Promise<{ authorization: string }> {
    return server.key("manage", { account: await server.account() });
  }

  test.each(RECORDS)(
    "%s: of creations at the same time as many succeed as the limit says",
    async (path, several, fields) => {
      const key = await account();
      const present = path === "/v1/keys" ? 1 : 0;
      const create = () => server.post(path, { name: crypto.randomUUID(), ...fields }, key);

      const answers = await Promise.all(Array.from({ length: 12 }, create));

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(4 - present);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ status, json }) => [status, json.code])).toEqual(
        Array.from({ length: 8 + present }, () => [400, "LIMIT_REACHED"]),
      );
      expect(refused[0]?.json.error).toContain(`has 4 ${several}; its limit is 4.`);
      expect(refused[0]?.json.error).toMatch(
        /ask the operator of this server to raise FOREBAY_ACCOUNT_[A-Z_]+\.$/,
      );

      const other = await account();
      expect((await server.post(path, { name: "other", ...fields }, other)).status).toBe(200);
    },
  );

  test("a record that is deleted makes room for another, and those there are can be changed", async () => {
    const key = await account();
    const made = await Promise.all(
      Array.from({ length: 4 }, (_, index) => server.post("/v1/endpoints", { name: `e${index}` }, key)),
    );
    const [first, second] = made.map(({ json }) => json.id);
    expect((await server.post("/v1/endpoints", { name: "e5" }, key)).json.code).toBe("LIMIT_REACHED");
    expect((await server.call("PATCH", `/v1/endpoints/${first}`, { workersMax: 7 }, key)).status).toBe(200);
    expect((await server.call("DELETE", `/v1/endpoints/${second}`, undefined, key)).status).toBe(204);
    expect((await server.post("/v1/endpoints", { name: "e5" }, key)).status).toBe(200);
  });

  test("worker tokens", async () => {
    const key = await account();
    const { json } = await server.post("/v1/endpoints", { name: "tokens" }, key);
    const admit = () => server.post(`/v1/endpoints/${json.id}/workers`, {}, key);
    const answers = await Promise.all(Array.from({ length: 9 }, admit));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
    expect((await admit()).json.error).toContain("has 4 worker tokens; its limit is 4.");
  });

  test("bytes of templates: a new one, and one that grows, but never one that shrinks", async () => {
    const key = await account();
    const env = (kilobytes: number) =>
      Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`V${index}`, "v".repeat(kilobytes * 128)]));
    const create = (kilobytes: number) =>
      server.post("/v1/templates", { name: crypto.randomUUID(), imageName: "a", env: env(kilobytes) }, key);

    const first = await create(800);
    expect([first.status, (await create(500)).status]).toEqual([200, 200]);
    const refused = await create(800);
    expect([refused.status, refused.json.code]).toEqual([400, "LIMIT_REACHED"]);
    expect(refused.json.error).toContain(`exceed the limit of ${2 * MB} bytes`);
    const change = (kilobytes: number) =>
      server.call("PATCH", `/v1/templates/${first.json.id}`, { env: env(kilobytes) }, key);
    expect((await change(990)).status).toBe(200);
    expect((await create(200)).json.code).toBe("LIMIT_REACHED");
    expect((await change(100)).status).toBe(200);
    expect((await create(200)).status).toBe(200);
  });

  test("releases: old ones are deleted first, then larger ones are refused", async () => {
    const key = await account();
    const env = (letter: string, kilobytes = 30) =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [`V${index}`, letter.repeat(kilobytes * 1_024)]),
      );
    const { json: template } = await server.post(
      "/v1/templates",
      { name: "a", imageName: "process/hello", env: env("a") },
      key,
    );
    const fields = { name: "e", templateId: template.id, workersMax: 0 };
    const { json: endpoint } = await server.post("/v1/endpoints", fields, key);
    const update = (letter: string, kilobytes?: number) =>
      server.call("PATCH", `/v1/templates/${template.id}`, { env: env(letter, kilobytes) }, key);
    const versions = async () => {
      const { json } = await server.get(`/v1/endpoints/${endpoint.id}/releases`, key);
      return json.releases.map(({ version }: { version: number }) => version);
    };

    for (const letter of "bcdefghijk") expect((await update(letter)).status).toBe(200);
    expect((await versions())[0]).toBe(11);
    expect((await versions()).length).toBeLessThan(6);

    const refused = await server.post("/v1/endpoints", { ...fields, name: "f" }, key);
    expect(refused.status).toBe(200);
    expect((await update("l", 90)).json.code).toBe("LIMIT_REACHED");
    expect((await update("m")).status).toBe(200);
  });

  test("bytes that wait: on one endpoint, and in the account over all its endpoints", async () => {
    const key = await account();
    const ids: string[] = [];
    for (let index = 0; index < 4; index++)
      ids.push((await server.post("/v1/endpoints", { name: `q${index}` }, key)).json.id);
    const submit = (endpoint: string, idempotency?: string) =>
      server.post(
        `/v2/${endpoint}/run`,
        { input: { text: "x".repeat(300_000) } },
        { ...key, ...(idempotency === undefined ? {} : { "idempotency-key": idempotency }) },
      );

    const first = await submit(ids[0] ?? "", "again");
    expect(first.status).toBe(200);
    const onOne = await Promise.all(Array.from({ length: 6 }, () => submit(ids[0] ?? "")));
    expect(onOne.filter(({ status }) => status === 200)).toHaveLength(2);
    const refused = onOne.find(({ status }) => status === 429);
    expect([refused?.json.code, refused?.headers.get("retry-after")]).toEqual(["QUEUE_FULL", "5"]);
    expect(refused?.json.error).toContain("FOREBAY_ENDPOINT_QUEUED_MB");

    const others = await Promise.all(
      [1, 2, 3].flatMap((index) => [submit(ids[index] ?? ""), submit(ids[index] ?? "")]),
    );
    expect(others.filter(({ status }) => status === 200)).toHaveLength(3);
    const full = others.find(({ status }) => status === 429);
    expect(full?.json.error).toContain(`its limit is ${2 * MB} bytes`);
    expect(full?.json.error).toContain("FOREBAY_ACCOUNT_QUEUED_MB");

    expect((await submit(ids[0] ?? "", "again")).json.id).toBe(first.json.id);
    expect((await server.post(`/v2/${await server.endpoint()}/run`, { input: {} })).status).toBe(200);
  });

  test("jobs that were purged make room for others soon", async () => {
    const key = await account();
    const { json } = await server.post("/v1/endpoints", { name: "room" }, key);
    const submit = () => server.post(`/v2/${json.id}/run`, { input: { text: "x".repeat(400_000) } }, key);
    expect([(await submit()).status, (await submit()).status, (await submit()).status]).toEqual([
      200, 200, 429,
    ]);
    await server.post(`/v2/${json.id}/purge-queue`, undefined, key);
    await until("there is room", async () => (await submit()).status === 200);
  });

  test("maxQueuedBytes cannot be larger than the operator allows", async () => {
    const key = await account();
    const refused = await server.post("/v1/endpoints", { name: "a", maxQueuedBytes: MB + 1 }, key);
    expect([refused.status, refused.json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(refused.json.error).toContain("FOREBAY_ENDPOINT_QUEUED_MB");
    expect((await server.post("/v1/endpoints", { name: "a", maxQueuedBytes: MB }, key)).status).toBe(200);
  });
});
