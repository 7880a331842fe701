import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";
import { TEST_KEY } from "../../support/test-client.ts";
import { until } from "../../support/until.ts";

const BODY = '{"input":{}}';

describe("inputs 20, 22 and 30: broken connections, all at once, and keys", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start({ "sweep-interval-ms": "20" });
  });
  afterAll(() => tried.stop());

  test(
    "input 20: a connection that breaks behind the body makes a job once or not at all; a key finds it",
    () =>
      tried.trial(async ({ server, endpoint }) => {
        const path = `/v2/${endpoint}/run`;
        const count = 200;
        for (let round = 0; round < count; round++) {
          const connection = new RawConnection(server.url);
          const lines = [`content-length: ${BODY.length}`, `idempotency-key: broken-${round}`];
          const request = connection.head(`POST ${path}`, ...lines) + BODY;
          connection.socket.write(request, () =>
            round % 2 === 0 ? connection.socket.resetAndDestroy() : connection.socket.end(),
          );
          await new Promise((resolve) => connection.socket.once("close", resolve));
        }
        const ids = new Set<string>();
        for (let round = 0; round < count; round++) {
          const { json } = await server.post(path, BODY, { "idempotency-key": `broken-${round}` });
          ids.add(json.id);
        }
        expect(ids.size).toBe(count);
        return { inQueue: count };
      }),
    30_000,
  );

  test("input 20: part of a body never makes a job", () =>
    tried.trial(async ({ server, endpoint }) => {
      for (const operation of ["run", "runsync"]) {
        for (const [lines, body] of [
          [["content-length: 20"], BODY],
          [["content-length: 300000"], `{"input":{"a":"${"x".repeat(200_000)}`],
          [["transfer-encoding: chunked"], `c\r\n${BODY}\r\n`],
        ] as const) {
          for (const breaks of ["end", "resetAndDestroy"] as const) {
            const connection = new RawConnection(server.url);
            const request = connection.head(`POST /v2/${endpoint}/${operation}`, ...lines) + body;
            connection.socket.write(request, () => connection.socket[breaks]());
            await connection.closed();
          }
        }
      }
      return {};
    }));

  test(
    "input 22: cancel, done, retry, purge, ttl and status at once leave one end of each attempt",
    () =>
      tried.trial(async ({ server, endpoint, worker }) => {
        const at = `/v2/${endpoint}`;
        for (let round = 0; round < 30; round++) {
          const id = await server.run(endpoint);
          await worker.take();
          const answers = await Promise.all([
            worker.done(id, { output: 1 }),
            worker.done(id, { error: "no" }),
            ...["cancel", "retry"].flatMap((verb) => [
              server.post(`${at}/${verb}/${id}`),
              server.post(`${at}/${verb}/${id}`),
            ]),
            server.post(`${at}/purge-queue`),
            server.get(`${at}/status/${id}`),
            server.get(`${at}/status/${id}?ttl=1`),
          ]);
          for (const { status } of answers) expect([200, 400, 404]).toContain(status);
          await server.post(`${at}/cancel/${id}`);
          await server.post(`${at}/purge-queue`);
          await until("nothing waits or runs", async () => {
            const { jobs } = (await server.get(`${at}/health`)).json;
            return jobs.inQueue + jobs.inProgress === 0;
          });
        }
        const { jobs } = (await server.get(`${at}/health`)).json;
        // Each of 30 jobs ended at most once for each time that it was queued; the canary once.
        expect(jobs.completed + jobs.failed).toBeLessThanOrEqual(31 + jobs.retried);
        return { completed: jobs.completed - 1, failed: jobs.failed, retried: jobs.retried };
      }),
    60_000,
  );

  test("input 30: only a key opens, raw or as Bearer; all else is refused before its body is read", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const token = worker.env["RUNPOD_AI_API_KEY"] ?? "";
      for (const [authorization, status] of [
        [undefined, 401],
        ["", 401],
        ["Bearer", 401],
        ["Bearer wrong", 401],
        ["k".repeat(15_000), 401],
        ["schl\u00fcssel", 401],
        [token, 401],
        [`Basic ${TEST_KEY}`, 400],
        [`${TEST_KEY},${TEST_KEY}`, 401],
      ] as const) {
        const connection = new RawConnection(server.url);
        const lines = authorization === undefined ? [] : [`authorization: ${authorization}`];
        const own = connection.head(`POST /v2/${endpoint}/run`, "content-length: 5000000");
        const head = own.replace(/authorization: [^\r]*\r\n/, lines.map((line) => `${line}\r\n`).join(""));
        connection.write(Buffer.from(head, "latin1"));
        expect([authorization, await connection.answers(1)]).toEqual([authorization, [status]]);
        connection.end();
      }
      for (const authorization of [TEST_KEY, `bearer ${TEST_KEY}`, `Bearer  ${TEST_KEY}`]) {
        expect((await server.post(`/v2/${endpoint}/run`, BODY, { authorization })).status).toBe(200);
      }
      return { inQueue: 3 };
    }));

  test("input 30: the token of an endpoint that is gone is refused at once", () =>
    tried.trial(async ({ server }) => {
      const endpoint = await server.endpoint();
      const worker = await server.worker(endpoint);
      await server.call("DELETE", `/v1/endpoints/${endpoint}`);
      expect((await worker.take()).status).toBe(401);
      return {};
    }));
});
