import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JobState } from "../../../src/domain/transitions.ts";
import { OneEndpoint } from "../spec/one-endpoint.ts";
import { until } from "../../support/until.ts";

const STATES: readonly JobState[] = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
];
const AS_JSON = { "content-type": "application/json" };

describe("what the public clients send and expect", () => {
  let at: OneEndpoint;
  beforeEach(async () => {
    at = await OneEndpoint.start();
  });
  afterEach(() => at.stop());

  test.each(["", "/sdk"])(
    "%s: POST is GET on status, status-sync and stream, empty body or not",
    async (base) => {
      const job = await at.jobIn("COMPLETED");
      for (const operation of ["status", "status-sync", "stream"]) {
        const path = `${base}/v2/${at.id}/${operation}/${job}?`;
        const read = await at.server.get(path);
        expect(read.status).toBe(200);
        for (const body of ["", "{}"]) {
          const posted = await at.server.post(path, body, AS_JSON);
          expect([posted.status, posted.json]).toEqual([200, read.json]);
        }
      }
    },
  );

  test("status-sync is held until the job ends, or the wait is over", async () => {
    const job = await at.submit();
    const { waits } = at.server.forebay.engine;
    const isHeld = (): boolean => waits.keys("end ").length === 1;
    const first = at.get(`status-sync/${job}?wait=1000`);
    await until("it is held", isHeld);
    await at.clock.advance(1_000);
    const told = await first;
    expect([told.status, told.json]).toEqual([200, { id: job, status: "IN_QUEUE" }]);
    const second = at.get(`status-sync/${job}`);
    await until("it is held", isHeld);
    await at.worker.take();
    await at.worker.done(job, { output: 1 });
    expect((await second).json).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  test("a call without a body may say that it is JSON", async () => {
    const job = await at.submit();
    const paths = [`status/${job}`, `stream/${job}?from=0&wait=1000`, "health", "requests"];
    await at.worker.take();
    await at.worker.done(job, { error: "no" });
    for (const path of paths) {
      expect((await at.server.get(`/v2/${at.id}/${path}`, AS_JSON)).status).toBe(200);
    }
    for (const path of [`retry/${job}`, `cancel/${job}`, "purge-queue"]) {
      expect((await at.post(path, "", AS_JSON)).status).toBe(200);
    }
    const other = await at.server.endpoint();
    expect((await at.server.call("DELETE", `/v1/endpoints/${other}`, "", AS_JSON)).status).toBe(204);
  });

  test("every success is 200, and 204 where something is deleted", async () => {
    const { server } = at;
    const ok = async (method: string, path: string, body?: unknown): Promise<string> => {
      const { status, json } = await server.call(method, path, body);
      expect([method, path, status]).toEqual([method, path, 200]);
      return json.id;
    };
    const queue = `/v2/${at.id}`;
    const job = await ok("POST", `${queue}/run`, { input: {} });
    await ok("POST", `${queue}/cancel/${job}`);
    await ok("POST", `${queue}/purge-queue`);
    const waiting = ok("POST", `${queue}/runsync`, { input: {} });
    await at.untilQueued(1);
    const { id } = (await at.worker.take()).json;
    await at.worker.done(id, { error: "no" });
    await waiting;
    await ok("POST", `${queue}/retry/${id}`);

    const template = await ok("POST", "/v1/templates", { name: "t", imageName: "team/t:1" });
    await ok("POST", `/v1/templates/${template}/update`, { name: "u" });
    await ok("PATCH", `/v1/templates/${template}`, { name: "v" });
    const endpoint = await ok("POST", "/v1/endpoints", { name: "e", templateId: template });
    await ok("PATCH", `/v1/endpoints/${endpoint}`, { name: "f" });
    const login = { name: "l", username: "u", password: "p" };
    const registry = await ok("POST", "/v1/containerregistryauth", login);
    for (const path of [
      `endpoints/${endpoint}`,
      `templates/${template}`,
      `containerregistryauth/${registry}`,
    ]) {
      expect((await server.call("DELETE", `/v1/${path}`)).status).toBe(204);
    }
  });

  test.each(["", "/sdk"])(
    "%s: times are integers, errors text, and what is unknown is absent",
    async (base) => {
      for (const state of STATES) {
        const job = await at.jobIn(state);
        const { json } = await at.server.get(`${base}/v2/${at.id}/status/${job}`);
        expect(json.status).toBe(state);
        const { delayTime = 0, executionTime = 0, retries = 0, workerId = "", error = "" } = json;
        for (const number of [delayTime, executionTime, retries]) expect(number).toBeInteger();
        for (const text of [workerId, error]) expect(text).toBeString();
        expect(Object.values(json)).not.toContain(null);
        await at.post("purge-queue");
        if (state !== "IN_PROGRESS") continue;
        // Whatever the worker calls an error: clients have a string for it.
        await at.worker.done(job, { error: { code: 7 } });
        expect((await at.status(job)).error).toBe('{"code":7}');
        await at.clock.advance(10_000);
      }
    },
  );

  test("health has the counts of jobs and workers that the strictest client asks for", async () => {
    const { jobs, workers } = (await at.get("health")).json;
    const names = ["completed", "failed", "inProgress", "inQueue", "retried"];
    expect(Object.keys(jobs).toSorted()).toEqual(names);
    const kinds = ["idle", "initializing", "ready", "running", "throttled", "unhealthy"];
    expect(Object.keys(workers).toSorted()).toEqual(kinds);
    for (const count of Object.values({ ...jobs, ...workers })) expect(count).toBeInteger();
  });

  test("ids of jobs are what clients take for one: letters, digits, - and _", async () => {
    const job = await at.submit();
    const waiting = at.post("runsync", { input: {} });
    await at.untilQueued(2);
    const { requests } = (await at.get("requests")).json;
    for (const { id } of requests) expect(id).toMatch(/^(sync-)?[0-9a-f-]{36}-u1$/);
    expect(requests.map(({ id }: { id: string }) => id)).toContain(job);
    await at.post("purge-queue");
    await waiting;
  });

  test("every refusal is a JSON object with the sentence, code and status", async () => {
    const refusals = [
      at.server.get("/v2/none/nothing"),
      at.server.get(`/v2/${at.id}/status/none`),
      at.server.call("PUT", `/v2/${at.id}/run`),
      at.server.post(`/v2/${at.id}/run`, "{"),
      at.server.post(`/v2/${at.id}/run`, "x", { "content-encoding": "br" }),
      at.server.post(`/v2/${at.id}/run`, { input: { text: "x".repeat(10 * 1_048_576) } }),
      at.server.get(`/v2/${at.id}/health`, { authorization: "wrong" }),
    ];
    const told: number[] = [];
    for (const refusal of refusals) {
      const { status, headers, json } = await refusal;
      expect(headers.get("content-type")).toBe("application/json");
      expect(json).toEqual({ error: expect.any(String), code: expect.any(String), status });
      told.push(status);
    }
    expect(told).toEqual([404, 404, 405, 400, 415, 413, 401]);
  });
});
