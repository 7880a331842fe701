import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Trial, TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";
import { answerOf } from "../../support/answer.ts";
import { TEST_KEY } from "../../support/test-client.ts";

describe("inputs 9 to 12, 16 and 21: values, queries, empty bodies and ids", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  const withPolicy = ({ server, endpoint }: Trial, policy: string) =>
    server.post(`/v2/${endpoint}/run`, `{"input":{},"policy":${policy}}`);

  test("input 9: only an integer in its range is a ttl; null is none", () =>
    tried.trial(async (trial) => {
      const outside = "9999 604800001 -1 0 10000.5 2147483648 9007199254740992 1e999 -1e999 1e-400";
      for (const ttl of [...outside.split(" "), '"10000"', "true", "[10000]", "{}", "9".repeat(65_000)]) {
        const { status, json } = await withPolicy(trial, `{"ttl":${ttl}}`);
        expect([ttl, status, json.code]).toEqual([ttl, 400, "INVALID_FIELD"]);
      }
      for (const ttl of ["10000", "604800000", "1e4", "10000.0", "null"]) {
        expect([ttl, (await withPolicy(trial, `{"ttl":${ttl}}`)).status]).toEqual([ttl, 200]);
      }
      return { inQueue: 5 };
    }));

  test("input 9: a ttl that is a list of nine megabytes is refused", () =>
    tried.trial(async (trial) => {
      const { status } = await withPolicy(trial, `{"ttl":[${"[],".repeat(3_000_000)}[]]}`);
      expect(status).toBe(400);
      return {};
    }));

  test("input 10: executionTimeout is above 5000 and has no upper end; it may be longer than the ttl", () =>
    tried.trial(async (trial) => {
      expect((await withPolicy(trial, '{"executionTimeout":5000}')).status).toBe(400);
      expect((await withPolicy(trial, '{"executionTimeout":5001}')).status).toBe(200);
      expect((await withPolicy(trial, `{"executionTimeout":${2 ** 40}}`)).status).toBe(200);
      expect((await withPolicy(trial, '{"executionTimeout":600000,"ttl":10000}')).status).toBe(200);
      return { inQueue: 3 };
    }));

  const NO_WAIT = ["", "999", "300001", "1e4", "0x10", " 12 ", "+5000", "5000abc", "5000&wait=1", "5000,1"];
  test("input 11: only one integer in its range is a wait, and anything else makes no job", () =>
    tried.trial(async ({ server, endpoint }) => {
      for (const wait of [...NO_WAIT, "5000&wait=5000", "%D9%A5%D9%A0%D9%A0%D9%A0", "-5000", "5000.0"]) {
        const { status, json } = await server.post(`/v2/${endpoint}/runsync?wait=${wait}`, { input: {} });
        expect([wait, status, json.code]).toEqual([wait, 400, "INVALID_QUERY"]);
      }
      return {};
    }));

  test("input 12: a ttl outside of its range, or read by HEAD, changes nothing", () =>
    tried.trial(async ({ server, endpoint }) => {
      const id = await server.run(endpoint);
      const path = `/v2/${endpoint}/status/${id}`;
      for (const ttl of ["0", "-1", "604800001", "2147483648", "6000&ttl=6000", "", "1e4"]) {
        const { status, json } = await server.get(`${path}?ttl=${ttl}`);
        expect([ttl, status, json.code]).toEqual([ttl, 400, "INVALID_QUERY"]);
      }
      expect((await server.call("HEAD", `${path}?ttl=1`)).status).toBe(405);
      expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_QUEUE" });
      return { inQueue: 1 };
    }));

  test("input 16: cancel, retry and purge-queue need no body, and accept one", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      for (const [body, type] of [
        [undefined, undefined],
        [undefined, "application/json"],
        ["{}", "application/json"],
        ["", "application/json"],
        ["what is this", "text/plain"],
      ] as const) {
        const failed = await server.run(endpoint);
        await worker.take();
        await worker.done(failed, { error: "no" });
        for (const operation of [`retry/${failed}`, `cancel/${failed}`, "purge-queue"]) {
          const headers = { authorization: TEST_KEY, ...(type && { "content-type": type }) };
          const init = { method: "POST", headers, ...(body !== undefined && { body }) };
          const answer = await answerOf(await fetch(`${server.url}/v2/${endpoint}/${operation}`, init));
          expect([operation.split("/")[0], body, answer.status]).toEqual([
            operation.split("/")[0],
            body,
            200,
          ]);
        }
      }
      return { failed: 5, retried: 5 };
    }));

  test("input 21: an invalid id and an unknown one get the same 404", () =>
    tried.trial(async ({ server, endpoint, worker }) => {
      const elsewhere = await server.endpoint();
      const foreign = await server.run(elsewhere);
      const purged = await server.run(endpoint);
      await server.post(`/v2/${endpoint}/purge-queue`);
      const bodies = new Set<string>();
      for (const id of [foreign, purged, "__proto__", "constructor", "toString", "no-such-job"]) {
        const { status, text } = await server.get(`/v2/${endpoint}/status/${id}`);
        expect([id, status]).toEqual([id, 404]);
        bodies.add(text.replace(id, "ID"));
      }
      expect(bodies.size).toBe(1);
      const escaped = [
        "..%2f..",
        "%00",
        "%zz",
        "%F0%9F%98%80",
        "'%20or%201=1--",
        `sync-${"a".repeat(10_240)}`,
      ];
      for (const id of [...escaped, "..", "a/../b", "é", "a\\b", "%2e%2e"]) {
        for (const [method, operation] of [
          ["GET", "status"],
          ["GET", "stream"],
          ["POST", "cancel"],
          ["POST", "retry"],
        ]) {
          const connection = new RawConnection(server.url);
          const target = `/v2/${endpoint}/${operation}/${Buffer.from(id).toString("latin1")}`;
          connection.write(Buffer.from(connection.head(`${method} ${target}`), "latin1"));
          const [status] = await connection.answers(1);
          expect([id, operation, status]).toEqual([id, operation, 404]);
          connection.end();
        }
        await worker.done(encodeURIComponent(id), { output: "lost" });
      }
      return {};
    }));
});
