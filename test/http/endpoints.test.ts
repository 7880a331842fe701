import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { STOP_KEYS } from "../../src/engine/wait-keys.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("endpoints", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server.stop());

  test("are made, listed, read and deleted; a template may be left out", async () => {
    const made = await server.post("/v1/endpoints", { name: "chat" });
    expect(made.status).toBe(200);
    expect(made.json).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{14}$/),
      name: "chat",
      userId: "default",
      templateId: "",
      env: {},
      gpuTypeIds: [],
      computeType: "GPU",
      dataCenterIds: [],
      cpuFlavorIds: [],
      instanceIds: [],
      allowedCudaVersions: [],
      minCudaVersion: "",
      flashboot: false,
      workersMin: 0,
      workersMax: 3,
      idleTimeout: 5,
      historyInputs: "failed",
      scalerType: "QUEUE_DELAY",
      scalerValue: 4,
      releaseSurge: 1,
      version: 0,
      isPaused: false,
      executionTimeoutMs: 600_000,
      ttlMs: 86_400_000,
      runRetentionMs: 1_800_000,
      runsyncRetentionMs: 60_000,
      webhookRetries: 2,
      createdAt: expect.stringMatching(/^20/),
    });
    const path = `/v1/endpoints/${made.json.id}`;
    expect((await server.get("/v1/endpoints")).json).toEqual([made.json]);
    expect((await server.get(path)).json).toEqual(made.json);
    expect((await server.call("DELETE", path)).status).toBe(204);
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
    expect((await server.get(path)).json.code).toBe("ENDPOINT_NOT_FOUND");
    expect((await server.call("DELETE", path)).json.code).toBe("ENDPOINT_NOT_FOUND");
  });

  test("keep what they are given", async () => {
    const template = (await server.post("/v1/templates", { name: "t", imageName: "a" })).json;
    const fields = {
      name: "chat",
      templateId: template.id,
      workersMin: 2,
      workersMax: 4,
      idleTimeout: 60,
      scalerType: "REQUEST_COUNT",
      scalerValue: 7,
      releaseSurge: 0,
      releasePace: 2,
      isPaused: true,
    };
    const { json } = await server.post("/v1/endpoints", fields);
    expect((await server.get(`/v1/endpoints/${json.id}`)).json).toMatchObject(fields);
  });

  test.each(["/v1", "/sdk/v1"])(
    "are scaled as a change says, and by default after null (%s)",
    async (base) => {
      const { json } = await server.post(`${base}/endpoints`, { name: "chat", scalerType: "REQUEST_COUNT" });
      const path = `${base}/endpoints/${json.id}`;
      const changes = { workersMin: 1, workersMax: 9, idleTimeout: 3_600, scalerValue: 2 };
      expect((await server.call("PATCH", path, changes)).json).toMatchObject({
        ...changes,
        scalerType: "REQUEST_COUNT",
      });
      const defaults = {
        workersMin: 0,
        workersMax: 3,
        idleTimeout: 5,
        scalerType: "QUEUE_DELAY",
        scalerValue: 4,
        releaseSurge: 1,
      };
      const nulls = Object.fromEntries(Object.keys(defaults).map((name) => [name, null]));
      expect((await server.post(`${path}/update`, nulls)).json).toMatchObject(defaults);
      expect((await server.get(path)).json).toMatchObject(defaults);
    },
  );

  test.each([
    [{ name: "" }, "name", "INVALID_FIELD"],
    [{}, "name", "INVALID_FIELD"],
    [{ templateId: "" }, "name", "INVALID_FIELD"],
    [{ name: "a", workersMin: -1 }, "workersMin", "INVALID_FIELD"],
    [{ name: "a", workersMin: 2, workersMax: 1 }, "workersMin", "INVALID_FIELD"],
    [{ name: "a", idleTimeout: 0 }, "idleTimeout", "INVALID_FIELD"],
    [{ name: "a", idleTimeout: 3_601 }, "idleTimeout", "INVALID_FIELD"],
    [{ name: "a", scalerType: "queue_delay" }, "scalerType", "INVALID_FIELD"],
    [{ name: "a", scalerValue: 0 }, "scalerValue", "INVALID_FIELD"],
    [{ name: "a", scalerValue: 1.5 }, "scalerValue", "INVALID_FIELD"],
    [{ name: "a", releaseSurge: -1 }, "releaseSurge", "INVALID_FIELD"],
    [{ name: "a", releasePace: 0 }, "releasePace", "INVALID_FIELD"],
    [{ name: "a", shmSizeInMb: 0 }, "shmSizeInMb", "INVALID_FIELD"],
    [{ name: "a", isPaused: "yes" }, "isPaused", "INVALID_FIELD"],
    [{ name: "a", fleet: {} }, "fleet", "INVALID_FIELD"],
    [{ name: "a", computeType: "TPU" }, "computeType", "INVALID_FIELD"],
    [{ name: "a", templateId: "nowhere" }, "template", "TEMPLATE_NOT_FOUND"],
  ])("%j is refused, naming %s", async (fields, name, code) => {
    const { json } = await server.post("/v1/endpoints", fields);
    expect(json.code).toBe(code);
    expect(json.error).toContain(name);
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
  });

  test("names are unique within the account", async () => {
    await server.post("/v1/endpoints", { name: "chat" });
    expect((await server.post("/v1/endpoints", { name: "chat" })).json.code).toBe("NAME_TAKEN");
  });

  test("the tokens of a deleted endpoint open nothing", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
    expect((await worker.ping()).json.code).toBe("KEY_UNKNOWN");
  });

  test("T1: nobody chooses the id of an endpoint, and so gets at what an earlier one left", async () => {
    const { status, json } = await server.post("/v1/endpoints", { name: "chat", id: "chosen" });
    expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(json.error).toContain("id");
    expect((await server.get("/v1/endpoints")).json).toEqual([]);
  });

  test("decision 0006: waiting calls of its workers are answered when an endpoint is deleted", async () => {
    // No hold ends by itself.
    const still = await TestServer.start({ clock: new ManualClock() });
    const endpoint = await still.endpoint();
    const [one, other] = [await still.worker(endpoint), await still.worker(endpoint)];
    const [shared] = await still.workers(endpoint, 1);
    const waiting = [
      one.take(),
      one.stops(),
      other.exchange({ take: 1, wait: 3_000 }),
      shared?.takeBatch(2),
      shared?.stops(),
    ];
    const { store, waits, parkedTakes } = still.forebay.engine;
    await until("all have called", async () => (await store.workers(endpoint, 0)).length === 3);
    // What comes behind the deletion is refused, and not answered.
    await until("their calls are held", () => {
      return waits.keys(STOP_KEYS).length === 3 && parkedTakes.endpoints().includes(endpoint);
    });
    expect((await still.call("DELETE", `/v1/endpoints/${endpoint}`)).status).toBe(204);
    const answers = await Promise.all(waiting);
    expect(answers.map((answer) => answer?.status)).toEqual([204, 204, 200, 204, 204]);
    expect(answers[2]?.json).toEqual({ jobs: [], stop: [], ignored: [] });
    for (const worker of [one, other, shared]) expect((await worker?.take())?.json.code).toBe("KEY_UNKNOWN");
    await still.stop();
  });
});

test("tokens that a killed server left of a deleted endpoint are gone after the next start", async () => {
  await using directory = await temporaryDirectory();
  const flags = { data: directory.path };
  const first = await TestServer.start({ flags });
  const endpoint = await first.endpoint();
  const worker = await first.worker(endpoint);
  const { store, clock } = first.forebay.engine;
  // What deleting an endpoint has done when it is killed in between.
  await store.apply([{ step: "remove", kind: "endpoint", id: endpoint }], clock.now());
  expect((await worker.ping()).json.code).toBe("KEY_UNKNOWN");
  await first.stop();

  const second = await TestServer.start({ flags });
  expect(second.forebay.engine.configuration.all("worker")).toEqual([]);
  await second.stop();
});
