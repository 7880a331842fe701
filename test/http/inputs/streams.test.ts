import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Trial, TriedServer } from "../../support/input-trial.ts";
import { RawConnection } from "../../support/raw-connection.ts";

const MB = 1_048_576;
/** What the chunks of one job may have together here. */
const LIMIT_MB = 24;

describe("input 26: streams", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start({ "stream-hold-ms": "100", "job-output-limit-mb": `${LIMIT_MB}` });
  });
  afterAll(() => tried.stop());

  const started = async ({ server, endpoint, worker }: Trial): Promise<string> => {
    const id = await server.run(endpoint);
    await worker.take();
    return id;
  };

  /** All outputs from a chunk on, or, by plain reads, those that no plain read has had. */
  async function outputs({ server, endpoint }: Trial, id: string, from?: number): Promise<unknown[]> {
    const all: unknown[] = [];
    for (let next = from, state = ""; !["COMPLETED", "FAILED"].includes(state);) {
      const query = next === undefined ? "" : `?from=${next}`;
      const { json, headers } = await server.get(`/v2/${endpoint}/stream/${id}${query}`);
      all.push(...json.map((chunk: { output: unknown }) => chunk.output));
      state = headers.get("x-job-status") ?? "";
      if (next !== undefined) next = Number(headers.get("x-next-chunk"));
    }
    return all;
  }

  test("input 26: chunks of 1 MiB, one more, of nothing: all there, and none larger than 1 MiB", () =>
    tried.trial(async (trial) => {
      const { worker } = trial;
      const id = await started(trial);
      const frame = '{"output":""}'.length;
      const sizes = [MB - frame, MB - frame + 1, 3 * MB, 0];
      for (const size of sizes)
        expect((await worker.stream(id, { output: "x".repeat(size) })).status).toBe(200);
      expect((await worker.stream(id, {})).status).toBe(200);
      await worker.done(id, { output: [] });
      const read = await outputs(trial, id, 0);
      const texts = read.filter((output) => typeof output === "string");
      expect(texts.reduce((sum, text) => sum + text.length, 0)).toBe(sizes.reduce((a, b) => a + b));
      expect(Math.max(...texts.map((text) => text.length))).toBeLessThanOrEqual(MB);
      return { completed: 1 };
    }));

  test(
    "input 26: an object of 20 MB as one chunk comes as strings that are its JSON, joined",
    () =>
      tried.trial(async (trial) => {
        const id = await started(trial);
        const value = `{"list":[${'{"a":"é\\n😀"},'.repeat(1_000_000)}1]}`;
        expect((await trial.worker.stream(id, `{"output":${value}}`)).status).toBe(200);
        await trial.worker.done(id, {});
        expect((await outputs(trial, id, 0)).join("") === value).toBe(true);
        return { completed: 1 };
      }),
    30_000,
  );

  test(
    "input 26: a list of 20 MB as one chunk comes as lists that are it, joined",
    () =>
      tried.trial(async (trial) => {
        const id = await started(trial);
        const value = `[${'{"a":"é\\n😀"},'.repeat(1_000_000)}1]`;
        expect((await trial.worker.stream(id, `{"output":${value}}`)).status).toBe(200);
        await trial.worker.done(id, {});
        expect(JSON.stringify((await outputs(trial, id, 0)).flat()) === value).toBe(true);
        return { completed: 1 };
      }),
    30_000,
  );

  test(
    "input 26: a hundred thousand tiny chunks are read without gap or repetition, by two at once too",
    () =>
      tried.trial(async (trial) => {
        const { worker } = trial;
        const id = await started(trial);
        const count = 100_000;
        for (let from = 0; from < count; from += 500) {
          const chunks = Array.from({ length: 500 }, (_, n) => ({ id, attempt: 1, output: from + n }));
          expect((await worker.exchange({ alive: [id], chunks })).status).toBe(200);
        }
        await worker.done(id, {});
        const expected = Array.from({ length: count }, (_, n) => n);
        const read = await Promise.all([outputs(trial, id, 0), outputs(trial, id, 0)]);
        expect(read).toEqual([expected, expected]);
        expect(await outputs(trial, id, 9_990)).toEqual(expected.slice(9_990));
        const plain = await Promise.all([outputs(trial, id), outputs(trial, id)]);
        expect(plain.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(expected);
        return { completed: 1 };
      }),
    30_000,
  );

  const SENDS = {
    public: ({ worker }: Trial, id: string, output: string) => worker.stream(id, { output }),
    exchange: ({ worker }: Trial, id: string, output: string) =>
      worker.exchange({ alive: [id], chunks: [{ id, attempt: 1, output }] }),
  };
  for (const [protocol, send] of Object.entries(SENDS)) {
    test(`input 26: by ${protocol} calls, too much in all ends the job FAILED, and it is stopped`, () =>
      tried.trial(async (trial) => {
        const { server, endpoint, worker } = trial;
        const id = await started(trial);
        const frame = '{"output":""}'.length;
        for (let chunk = 0; chunk < LIMIT_MB; chunk++) await send(trial, id, "x".repeat(MB - frame));
        expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS" });
        const stops = protocol === "public" ? worker.stops() : undefined;
        const { status, json } = await send(trial, id, "");
        expect(status).toBe(200);
        if (protocol === "exchange") expect(json).toMatchObject({ ignored: [id], stop: [id] });
        else expect((await stops)?.json).toEqual({ jobsToStop: [id] });
        const { status: state, error } = await server.status(endpoint, id);
        expect([state, error]).toEqual([
          "FAILED",
          expect.stringContaining(`the limit of ${LIMIT_MB * MB} bytes`),
        ]);
        expect((await outputs(trial, id, 0)).length).toBe(LIMIT_MB);
        await worker.done(id, { output: 1 });
        expect(await server.status(endpoint, id)).toMatchObject({ status: "FAILED" });
        return { failed: 1 };
      }));
  }

  test("input 26: a late chunk is answered 200 and is none", () =>
    tried.trial(async (trial) => {
      const id = await started(trial);
      await trial.worker.stream(id, { output: 1 });
      await trial.worker.done(id, {});
      expect((await trial.worker.stream(id, { output: 2 })).status).toBe(200);
      expect(await outputs(trial, id, 0)).toEqual([1]);
      return { completed: 1 };
    }));

  test("input 26: a reader that is gone takes no chunk from one that reads by number", () =>
    tried.trial(async (trial) => {
      const { server, endpoint, worker } = trial;
      const id = await started(trial);
      await worker.stream(id, { output: "x".repeat(MB / 2) });
      const connection = new RawConnection(server.url);
      connection.socket.pause();
      connection.write(connection.head(`GET /v2/${endpoint}/stream/${id}`));
      connection.socket.resetAndDestroy();
      await worker.done(id, {});
      expect((await outputs(trial, id, 0)).length).toBe(1);
      return { completed: 1 };
    }));
});
