import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { importShellImage, importTypeScriptImage, shellLayer } from "../support/worker-images.ts";
import { startImageRegistry } from "./image-registry.ts";

const LIMIT = 80_000;

const JOBS = 2_000;

/** So many are submitted at once. */
const CALLERS = 20;

describe("releases of images", () => {
  let host: DockerHost;
  let server: ServerProcess;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importTypeScriptImage(host, "team/typescript:1");
    await importTypeScriptImage(host, "team/typescript:2");
    await importShellImage(host, "team/broken:1");
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    server = await startDockerServer(host, { "docker-memory-mb": "160" });
  });
  afterEach(async () => {
    for (const { id } of await ask("GET", "/v1/endpoints")) {
      await ask("PATCH", `/v1/endpoints/${id}`, { workersMin: 0, isPaused: true });
    }
    await until("no container is left", async () => (await host.containers()).length === 0, LIMIT);
    await server.stop();
  });

  /** Once the rate limit lets it through. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  const ask = (method: string, path: string, body?: object): Promise<any> =>
    until(
      `${method} ${path} goes well`,
      async () => {
        const { status, json } = await server.call(method, path, body);
        return status === 200 && json;
      },
      LIMIT,
    );
  async function update(endpoint: string, changes: object): Promise<void> {
    const { templateId } = await ask("GET", `/v1/endpoints/${endpoint}`);
    await ask("POST", `/v1/templates/${templateId}/update`, changes);
  }
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  const releasesOf = async (endpoint: string): Promise<any[]> =>
    (await ask("GET", `/v1/endpoints/${endpoint}/releases`)).releases;
  const newestIs = (endpoint: string, state: string) =>
    until(`it is ${state}`, async () => (await releasesOf(endpoint))[0].state === state, LIMIT);

  /** Submits all jobs one after the other, and calls `meanwhile` when half of them have ended. */
  async function runAll(endpoint: string, meanwhile: () => Promise<void>) {
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
    const timelines: any[] = [];
    let submitted = 0;
    let changing: Promise<void> | undefined;
    const caller = async (): Promise<void> => {
      while (submitted++ < JOBS) {
        const job = await server.run(endpoint, { sleep: 2 });
        await server.ended(endpoint, job);
        timelines.push(await ask("GET", `/v1/endpoints/${endpoint}/jobs/${job}`));
        if (timelines.length >= JOBS / 2) changing ??= meanwhile();
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await changing;
    expect(timelines).toHaveLength(JOBS);
    expect(timelines.filter(({ status, attempt }) => status !== "COMPLETED" || attempt !== 1)).toEqual([]);
    return new Set(timelines.map(({ version }) => version));
  }

  const most = { requests: 1_000_000 };
  const BUSY = {
    workersMin: 3,
    workersMax: 3,
    scalerType: "REQUEST_COUNT",
    scalerValue: 1,
    rateLimits: { run: most, "status-sync": most, status: most },
  };

  test(`an image update rolls with none lost and none failed of ${JOBS} jobs`, async () => {
    const endpoint = await imageEndpoint(server, "team/typescript:1", BUSY);
    await newestIs(endpoint, "COMPLETE");
    const versions = await runAll(endpoint, () => update(endpoint, { imageName: "team/typescript:2" }));
    await newestIs(endpoint, "COMPLETE");
    expect(versions).toEqual(new Set([1, 2]));
    const images = async () =>
      new Set((await host.containers()).map(({ Labels }) => Labels["io.forebay.image"]));
    expect(await images()).toEqual(new Set(["team/typescript:2"]));
    expect(server.logged("a worker exited")).toEqual([]);
  });

  test(`a broken image stops the release, and the old version serves ${JOBS} jobs on`, async () => {
    const endpoint = await imageEndpoint(server, "team/typescript:1", BUSY);
    await newestIs(endpoint, "COMPLETE");
    const versions = await runAll(endpoint, async () => {
      await update(endpoint, { imageName: "team/broken:1" });
      await newestIs(endpoint, "STOPPED");
    });
    expect(versions).toEqual(new Set([1]));
    const [{ stopped }] = await releasesOf(endpoint);
    expect(stopped.lastExit).toMatchObject({
      how: "exit code 0",
      lastLines: ["command of the image: a b"],
    });
    const { reason } = (await ask("GET", `/v1/endpoints/${endpoint}`)).fleet;
    expect(reason).toStartWith("Release 2 was stopped: its workers exited before they connected");
    await update(endpoint, { imageName: "team/absent:1" });
    await newestIs(endpoint, "STOPPED");
    const [absent] = await releasesOf(endpoint);
    expect(absent.stopped.lastExit.how).toStartWith("Docker cannot start the container: ");
    const job = await server.run(endpoint);
    expect((await server.ended(endpoint, job)).status).toBe("COMPLETED");
  });

  test("a release keeps the digest that it pulled first, also when it is brought back", async () => {
    const registry = startImageRegistry(await shellLayer());
    const serving = (what: string) => `echo ${what}; exec sleep 1000`;
    /** Workers that printed the line, those that have ended too. */
    const printers = new Map<string, Set<string>>();
    let endpoint = "";
    async function printed(line: string): Promise<number> {
      const found = printers.get(line) ?? new Set();
      printers.set(line, found);
      const { workers } = (await server.get(`/v1/endpoints/${endpoint}/workers`)).json;
      for (const { id } of workers) {
        const { text } = await server.get(`/v1/endpoints/${endpoint}/workers/${id}/logs`);
        if (text.includes(`"line":"${line}"`)) found.add(id);
      }
      return found.size;
    }
    try {
      registry.push(serving("one"));
      const first = `${registry.server}/team/worker@${registry.digest}`;
      const image = `${registry.server}/team/worker:1`;
      endpoint = await imageEndpoint(server, image, { workersMin: 1, workersMax: 1 });
      await until("the first runs", async () => (await printed("one")) === 1, LIMIT);
      await until("it is pinned", async () => (await releasesOf(endpoint))[0].pinnedImage === first);

      registry.push(serving("two"));
      const untagged = await host.ask("DELETE", `/v1.41/images/${image}?noprune=1&force=1`);
      expect(untagged.status).toBe(200);
      const [container] = await host.containers();
      await host.ask("DELETE", `/v1.41/containers/${container.Id}?force=1`);
      await until("the next worker is of the same image", async () => (await printed("one")) === 2, LIMIT);

      await update(endpoint, { env: { A: "changed" } });
      await until("the new image runs", async () => (await printed("two")) === 1, LIMIT);
      const second = `${registry.server}/team/worker@${registry.digest}`;
      await until("it is pinned", async () => (await releasesOf(endpoint))[0].pinnedImage === second);

      await server.post(`/v1/endpoints/${endpoint}/releases`, { version: 1 });
      await until("the first image runs again", async () => (await printed("one")) === 3, LIMIT);
      expect((await releasesOf(endpoint)).map(({ pinnedImage }) => pinnedImage)).toEqual([
        first,
        second,
        first,
      ]);
      expect(await printed("two")).toBe(1);
    } finally {
      await registry.stop();
    }
  });
});
