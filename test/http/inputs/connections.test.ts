import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Store } from "../../../src/store/store.ts";
import { TriedServer } from "../../support/input-trial.ts";
import type { Answer } from "../../support/answer.ts";
import { RawConnection } from "../../support/raw-connection.ts";
import { TEST_KEY } from "../../support/test-client.ts";
import { until } from "../../support/until.ts";

/** Input 22: so many clients, so often. */
const CLIENTS = 200;
const ROUNDS = 1_000;

const BODY = '{"input":{}}';

/** Connections by the key of their submission, each killed when that is durable and not answered yet. */
function killBeforeReply(store: Store): Map<string, RawConnection> {
  const connections = new Map<string, RawConnection>();
  const { apply } = store;
  store.apply = async (steps, now) => {
    const answers = await apply(steps, now);
    for (const step of steps) {
      const key = step.step === "enqueue" ? (step.idempotency?.key ?? "") : "";
      const connection = connections.get(key);
      connections.delete(key);
      connection?.socket.resetAndDestroy();
      await connection?.closed();
    }
    return answers;
  };
  return connections;
}

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
        const count = 1_000;
        const breaks = killBeforeReply(server.forebay.engine.store);
        const send = async (round: number): Promise<void> => {
          const connection = new RawConnection(server.url);
          const key = `broken-${round}`;
          const lines = [`content-length: ${BODY.length}`, `idempotency-key: ${key}`];
          const request = connection.head(`POST ${path}`, ...lines) + BODY;
          if (round % 2 === 0) breaks.set(key, connection);
          connection.socket.write(request, () => {
            if (round % 4 === 1) connection.socket.resetAndDestroy();
            if (round % 4 === 3) connection.socket.end();
          });
          await connection.closed();
          if (round % 2 === 0) expect(connection.statuses).toEqual([]);
        };
        for (let round = 0; round < count; round += 20) {
          await Promise.all(Array.from({ length: 20 }, (_, n) => send(round + n)));
        }
        expect(breaks.size).toBe(0);
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
        const verbs: readonly ((id: string) => Promise<Answer>)[] = [
          (id) => worker.done(id, { output: 1 }),
          (id) => worker.done(id, { error: "no" }),
          (id) => server.post(`${at}/cancel/${id}`),
          (id) => server.post(`${at}/retry/${id}`),
          () => server.post(`${at}/purge-queue`),
          (id) => server.get(`${at}/status/${id}`),
          (id) => server.get(`${at}/status/${id}?ttl=1`),
          () => worker.exchange({ take: 1 }),
        ];
        for (let round = 0; round < ROUNDS; round++) {
          const id = await server.run(endpoint);
          await worker.take();
          // Each round another one comes first.
          const clients = Array.from({ length: CLIENTS }, (_, n) => verbs[(n + round) % verbs.length]);
          const answers = await Promise.all(clients.map((verb) => verb?.(id)));
          for (const answer of answers) expect([200, 400, 404]).toContain(answer?.status ?? 0);
          await server.post(`${at}/cancel/${id}`);
          await server.post(`${at}/purge-queue`);
          await until("nothing waits or runs", async () => {
            const { jobs } = (await server.get(`${at}/health`)).json;
            return jobs.inQueue + jobs.inProgress === 0;
          });
        }
        const { jobs } = (await server.get(`${at}/health`)).json;
        // Each job ended at most once for each time that it was queued; the canary once.
        expect(jobs.completed + jobs.failed).toBeLessThanOrEqual(ROUNDS + 1 + jobs.retried);
        return { completed: jobs.completed - 1, failed: jobs.failed, retried: jobs.retried };
      }),
    240_000,
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
        [`Basic ${TEST_KEY}`, 401],
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
