import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Trial, TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";
import { until } from "../../support/until.ts";

const KB = 1_024;

const submission = (bytes: number): string => `{"input":{"a":"${"x".repeat(bytes - 18)}"}}`;

/** Large, and no submission: it makes no job where there is room for it. */
const PROBE = "[".repeat(500 * KB);

/** A budget of 1 MB of which this connection takes three quarters, until it sends the rest or goes away. */
async function halfSent({ server, endpoint }: Trial): Promise<{ connection: RawConnection; finish(): void }> {
  const connection = new RawConnection(server.url);
  const body = submission(768 * KB);
  const lines = [`content-length: ${body.length}`, "expect: 100-continue"];
  connection.write(connection.head(`POST /v2/${endpoint}/run`, ...lines));
  // By then the server has made room for it.
  expect(await connection.answers(1)).toEqual([100]);
  connection.write(body.slice(0, 1_000));
  return { connection, finish: () => connection.write(body.slice(1_000)) };
}

const probe = async ({ server, endpoint }: Pick<Trial, "server" | "endpoint">): Promise<number> =>
  (await server.post(`/v2/${endpoint}/run`, PROBE)).status;

describe("input 3: more bodies than there is room for", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start({ "body-budget-mb": "1" });
  });
  afterAll(() => tried.stop());

  test("input 3: they are refused with 503 and Retry-After before they are read, and make no job", () =>
    tried.trial(async (trial) => {
      const { server, endpoint } = trial;
      const { connection, finish } = await halfSent(trial);
      for (const operation of ["run", "runsync"]) {
        const refused = await server.post(`/v2/${endpoint}/${operation}`, submission(500 * KB));
        expect([refused.status, refused.json.code]).toEqual([503, "OVERLOADED"]);
        expect(refused.headers.get("retry-after")).toBe("1");
        const unsent = new RawConnection(server.url);
        unsent.write(unsent.head(`POST /v2/${endpoint}/${operation}`, `content-length: ${500 * KB}`));
        expect(await unsent.answers(1)).toEqual([503]);
        await unsent.closed();
      }
      expect((await server.post(`/v2/${endpoint}/run`, submission(60 * KB))).status).toBe(200);
      finish();
      expect(await connection.answers(2)).toEqual([100, 200]);
      connection.end();
      expect((await server.post(`/v2/${endpoint}/run`, submission(500 * KB))).status).toBe(200);
      return { inQueue: 3 };
    }));

  test("input 3: the room of a connection that breaks is free again", () =>
    tried.trial(async (trial) => {
      const { connection } = await halfSent(trial);
      connection.socket.resetAndDestroy();
      await until("there was room again", async () => (await probe(trial)) === 400);
      return {};
    }));

  test("input 3: a body of unannounced length needs room once it is no longer small", () =>
    tried.trial(async (trial) => {
      const { server, endpoint } = trial;
      const { connection, finish } = await halfSent(trial);
      const send = async (body: string): Promise<number[]> => {
        const chunked = new RawConnection(server.url);
        chunked.write(chunked.head(`POST /v2/${endpoint}/run`, "transfer-encoding: chunked"));
        chunked.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
        const statuses = await chunked.answers(1);
        chunked.end();
        return statuses;
      };
      expect(await send(submission(60 * KB))).toEqual([200]);
      expect(await send(submission(200 * KB))).toEqual([503]);
      finish();
      expect(await connection.answers(2)).toEqual([100, 200]);
      connection.end();
      expect(await send(submission(200 * KB))).toEqual([200]);
      return { inQueue: 3 };
    }));

  test(
    "input 3: results of workers are never refused: they have room of their own, and wait for it",
    () =>
      tried.trial(async (trial) => {
        const { server, endpoint, worker } = trial;
        const ids = await Promise.all(Array.from({ length: 8 }, () => server.run(endpoint)));
        await worker.takeBatch(8);
        const { connection } = await halfSent(trial);
        const output = "x".repeat(2_048 * KB);
        const answers = await Promise.all(
          ids.map((id, n) =>
            n % 2 === 0
              ? worker.done(id, { output })
              : worker.exchange({ results: [{ id, attempt: 1, output }] }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array<number>(8).fill(200));
        for (const id of ids) expect((await server.status(endpoint, id)).output.length).toBe(output.length);
        connection.socket.resetAndDestroy();
        await until("there was room again", async () => (await probe(trial)) === 400);
        return { completed: 8 };
      }),
    30_000,
  );
});
