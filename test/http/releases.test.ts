import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

describe("releases", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  async function templateOf(fields: object = {}): Promise<string> {
    const wish = { name: crypto.randomUUID(), imageName: "process/hello", env: { A: "1" }, ...fields };
    return (await server.post("/v1/templates", wish)).json.id;
  }
  const update = (template: string, changes: object) =>
    server.post(`/v1/templates/${template}/update`, changes);
  const versionOf = async (endpoint: string) => (await server.get(`/v1/endpoints/${endpoint}`)).json.version;
  const releasesOf = async (endpoint: string) =>
    (await server.get(`/v1/endpoints/${endpoint}/releases`)).json.releases;

  test.each([
    { env: { A: "2" } },
    { ports: ["80/http"] },
    { containerDiskInGb: 7 },
    { volumeInGb: 7 },
    { volumeMountPath: "/models" },
  ])("4.B.2 rolling release: %j makes a version of every endpoint on the template", async (change) => {
    const template = await templateOf();
    const [one, other] = [
      await server.endpoint({ templateId: template }),
      await server.endpoint({ templateId: template }),
    ];
    const apart = await server.endpoint({ templateId: await templateOf() });
    expect((await update(template, change)).status).toBe(200);
    expect([await versionOf(one), await versionOf(other), await versionOf(apart)]).toEqual([2, 2, 1]);
    // The same once more is no change.
    await update(template, change);
    expect(await versionOf(one)).toBe(2);
  });

  test("4.B.2 rolling release: another login, and members of the endpoint, make a version", async () => {
    const template = await templateOf();
    const endpoint = await server.endpoint({ templateId: template });
    const credentials = { name: "registry", username: "user", password: "pass" };
    const login = (await server.post("/v1/containerregistryauth", credentials)).json.id;
    await update(template, { containerRegistryAuthId: login });
    expect(await versionOf(endpoint)).toBe(2);
    const path = `/v1/endpoints/${endpoint}`;
    const changes = [
      { env: { B: "1" } },
      { gpuCount: 1 },
      { vcpuCount: 2 },
      { templateId: await templateOf() },
    ];
    for (const [index, change] of changes.entries()) {
      expect((await server.call("PATCH", path, change)).status).toBe(200);
      expect(await versionOf(endpoint)).toBe(3 + index);
    }
  });

  test("names, texts and numbers of scaling make no version", async () => {
    const template = await templateOf();
    const endpoint = await server.endpoint({ templateId: template });
    await update(template, { name: crypto.randomUUID(), readme: "# new", isPublic: true, env: { A: "1" } });
    const changes = { name: "other", workersMax: 7, idleTimeout: 9, releaseSurge: 2, ttlMs: 60_000 };
    await server.call("PATCH", `/v1/endpoints/${endpoint}`, changes);
    expect(await versionOf(endpoint)).toBe(1);
    expect(await releasesOf(endpoint)).toEqual([
      {
        version: 1,
        state: "ROLLING",
        imageName: "process/hello",
        createdAt: expect.stringMatching(/^20/),
      },
    ]);
  });

  test("an endpoint whose workers come by themselves has none", async () => {
    const endpoint = await server.endpoint();
    expect(await versionOf(endpoint)).toBe(0);
    expect(await releasesOf(endpoint)).toEqual([]);
  });

  test("rolling back makes a new version, which holds until something changes", async () => {
    const template = await templateOf();
    const endpoint = await server.endpoint({ templateId: template });
    await update(template, { env: { A: "2" } });
    const back = await server.post(`/v1/endpoints/${endpoint}/releases`, { version: 1 });
    expect(back.json).toMatchObject({ version: 3, state: "ROLLING", rollbackTo: 1 });
    await update(template, { readme: "changes nothing" });
    expect(await versionOf(endpoint)).toBe(3);
    await update(template, { env: { A: "3" } });
    const states = (await releasesOf(endpoint)).map(
      ({ version, state }: { version: number; state: string }) => [version, state],
    );
    expect(states).toEqual([
      [4, "ROLLING"],
      [3, "REPLACED"],
      [2, "REPLACED"],
      [1, "REPLACED"],
    ]);
  });

  test.each([{}, { version: 0 }, { version: "1" }, { version: 1.5 }, { version: 1, more: 1 }])(
    "rolling back to %j is refused",
    async (body) => {
      const endpoint = await server.endpoint({ templateId: await templateOf() });
      const { json } = await server.post(`/v1/endpoints/${endpoint}/releases`, body);
      expect(json.code).toBe("INVALID_FIELD");
    },
  );

  test("rolling back to what never was, or was forgotten, is refused with a sentence", async () => {
    const template = await templateOf();
    const endpoint = await server.endpoint({ templateId: template });
    for (let change = 0; change < 52; change++) await update(template, { env: { A: `c${change}` } });
    const releases = await releasesOf(endpoint);
    expect(releases).toHaveLength(50);
    expect(releases[0].version).toBe(53);
    for (const version of [1, 54]) {
      const { status, json } = await server.post(`/v1/endpoints/${endpoint}/releases`, { version });
      expect([status, json.code]).toEqual([404, "RELEASE_NOT_FOUND"]);
      expect(json.error).toBe(`Endpoint ${endpoint} has no release of version ${version}.`);
    }
  });

  test("they go with their endpoint", async () => {
    const endpoint = await server.endpoint({ templateId: await templateOf() });
    expect(server.forebay.engine.configuration.all("release")).toHaveLength(1);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    expect(server.forebay.engine.configuration.all("release")).toEqual([]);
    expect((await server.get(`/v1/endpoints/${endpoint}/releases`)).json.code).toBe("ENDPOINT_NOT_FOUND");
  });
});
