import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

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

  test("4.B.2 rolling release: an update makes a version of every endpoint on the template", async () => {
    const template = await templateOf();
    const [one, other] = [
      await server.endpoint({ templateId: template }),
      await server.endpoint({ templateId: template }),
    ];
    const apart = await server.endpoint({ templateId: await templateOf() });
    expect((await update(template, { env: { A: "2" } })).status).toBe(200);
    expect([await versionOf(one), await versionOf(other), await versionOf(apart)]).toEqual([2, 2, 1]);
    // The same once more is no change.
    await update(template, { env: { A: "2" } });
    expect(await versionOf(one)).toBe(2);
  });

  test("4.B.2 rolling release: variables of the endpoint, and another template, make a version", async () => {
    const endpoint = await server.endpoint({ templateId: await templateOf() });
    const path = `/v1/endpoints/${endpoint}`;
    await server.call("PATCH", path, { env: { B: "1" } });
    expect(await versionOf(endpoint)).toBe(2);
    await server.call("PATCH", path, { templateId: await templateOf({ env: { A: "2" } }) });
    expect(await versionOf(endpoint)).toBe(3);
    // Its workers start from the same.
    await server.call("PATCH", path, { templateId: await templateOf({ env: { A: "2" } }) });
    expect(await versionOf(endpoint)).toBe(3);
  });

  test("what a process does not start from makes no version", async () => {
    const template = await templateOf();
    const endpoint = await server.endpoint({ templateId: template });
    const containerRegistryAuthId = await server.registryLogin();
    for (const change of [
      { ports: ["80/http"] },
      { containerDiskInGb: 7 },
      { volumeInGb: 7 },
      { volumeMountPath: "/models" },
      { containerRegistryAuthId },
    ]) {
      expect((await update(template, change)).status).toBe(200);
    }
    const changes = { shmSizeInMb: 2 };
    expect((await server.call("PATCH", `/v1/endpoints/${endpoint}`, changes)).status).toBe(200);
    expect(await versionOf(endpoint)).toBe(1);
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

  test("rolling back to a version that never was, or was deleted, is refused with a sentence", async () => {
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

  describe("pause and resume", () => {
    const MEMBERS = { scalerType: "REQUEST_COUNT", scalerValue: 1, workersMin: 2, workersMax: 2 };
    const pause = (endpoint: string, version: number | string, isPaused: unknown = true) =>
      server.call("PATCH", `/v1/endpoints/${endpoint}/releases/${version}`, { isPaused });
    const newestIs = (endpoint: string, state: string) =>
      until(`the newest release is ${state}`, async () => (await releasesOf(endpoint))[0].state === state);

    const hold = (endpoint: string, isPaused: boolean) =>
      server.call("PATCH", `/v1/endpoints/${endpoint}`, { isPaused });

    /** Its first version is complete; the second one starts nothing before the endpoint is let go on. */
    async function beginning() {
      const template = await templateOf();
      const endpoint = await server.endpoint({ templateId: template, ...MEMBERS });
      await newestIs(endpoint, "COMPLETE");
      await hold(endpoint, true);
      await update(template, { env: { A: "2" } });
      return { endpoint, template };
    }

    test("a release that rolls is paused, as often as one likes, shown as such, and resumed", async () => {
      const { endpoint } = await beginning();
      const paused = await pause(endpoint, 2);
      expect(paused.status).toBe(200);
      expect([paused.json.version, paused.json.state]).toEqual([2, "PAUSED"]);
      expect(paused.json.pausedAt).toMatch(/^20/);
      expect((await pause(endpoint, 2)).json.pausedAt).toBe(paused.json.pausedAt);
      expect((await releasesOf(endpoint))[0]).toMatchObject({
        state: "PAUSED",
        pausedAt: paused.json.pausedAt,
      });
      const resumed = (await pause(endpoint, 2, false)).json;
      expect(resumed.state).toBe("ROLLING");
      expect(resumed).not.toHaveProperty("pausedAt");
      await hold(endpoint, false);
      await newestIs(endpoint, "COMPLETE");
      // What is so already is no fault.
      expect((await pause(endpoint, 2, false)).json.state).toBe("COMPLETE");
    });

    test("a newer release is not paused, after a change or a roll back", async () => {
      const { endpoint, template } = await beginning();
      await pause(endpoint, 2);
      await update(template, { env: { A: "3" } });
      const [third, second] = await releasesOf(endpoint);
      expect([third.version, second.state]).toEqual([3, "REPLACED"]);
      expect([third, second].every((release) => release.pausedAt === undefined)).toBe(true);
      await pause(endpoint, 3);
      const back = await server.post(`/v1/endpoints/${endpoint}/releases`, { version: 1 });
      expect(back.json).toMatchObject({ version: 4, state: "ROLLING" });
      await hold(endpoint, false);
      await newestIs(endpoint, "COMPLETE");
    });

    test("pausing one that is complete, replaced, or replaces none is refused with a sentence", async () => {
      const { endpoint } = await beginning();
      const refusal = async (version: number | string, of = endpoint) => {
        const { status, json } = await pause(of, version);
        return [status, json.code, json.error];
      };
      expect(await refusal(1)).toEqual([
        400,
        "RELEASE_NOT_ROLLING",
        "Release 1 is REPLACED. Only a release that is ROLLING can be paused.",
      ]);
      await hold(endpoint, false);
      await newestIs(endpoint, "COMPLETE");
      expect(await refusal(2)).toEqual([
        400,
        "RELEASE_NOT_ROLLING",
        expect.stringMatching(/^Release 2 is COMPLETE/),
      ]);
      const first = await server.endpoint({ templateId: await templateOf() });
      expect(await refusal(1, first)).toEqual([
        400,
        "RELEASE_NOT_ROLLING",
        expect.stringMatching(/is the first one/),
      ]);
      for (const none of [3, 0, "01", "x"]) {
        expect(await refusal(none)).toEqual([
          404,
          "RELEASE_NOT_FOUND",
          `Endpoint ${endpoint} has no release of version ${none}.`,
        ]);
      }
      for (const isPaused of [null, "true", 1]) {
        expect((await pause(endpoint, 2, isPaused)).json.code).toBe("INVALID_FIELD");
      }
    });

    test("paused before a worker of it starts, the version before has all jobs", async () => {
      const { endpoint } = await beginning();
      await pause(endpoint, 2);
      await hold(endpoint, false);
      const jobs = await Promise.all(Array.from({ length: 4 }, () => server.run(endpoint, { name: "x" })));
      for (const job of jobs) {
        await server.ended(endpoint, job);
        const { version } = (await server.get(`/v1/endpoints/${endpoint}/jobs/${job}`)).json;
        expect(version).toBe(1);
      }
      expect((await releasesOf(endpoint))[0].state).toBe("PAUSED");
    });
  });

  test("they are deleted with their endpoint", async () => {
    const endpoint = await server.endpoint({ templateId: await templateOf() });
    expect(server.forebay.engine.configuration.all("release")).toHaveLength(1);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    expect(server.forebay.engine.configuration.all("release")).toEqual([]);
    expect((await server.get(`/v1/endpoints/${endpoint}/releases`)).json.code).toBe("ENDPOINT_NOT_FOUND");
  });
});
