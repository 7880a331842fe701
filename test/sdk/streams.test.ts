import { describe, expect, test } from "bun:test";
import type { Handler } from "@forebay/worker";
import { freshServer } from "../support/fresh-server.ts";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import { TestServer } from "../support/test-server.ts";

test("of 20000 small chunks of one stream none is lost or out of order", async () => {
  const server = await TestServer.start();
  const endpoint = await server.endpoint();
  const numbers = Array.from({ length: 20_000 }, (_, n) => n);
  const worker = await SdkWorker.start(server, endpoint, { handler: () => numbers.values() });
  const { json } = await server.post(`/v2/${endpoint}/runsync`, { input: {} });
  expect(json).toMatchObject({ status: "COMPLETED", output: [] });
  const read: number[] = [];
  while (read.length < numbers.length) {
    const page = await server.get(`/v2/${endpoint}/stream/${json.id}?from=${read.length}`);
    read.push(...page.json.map((chunk: { output: number }) => chunk.output));
  }
  expect(read).toEqual(numbers);
  await worker.stop();
  await server.stop();
});

describe.each(PROTOCOLS)("a handler that yields, over the %s protocol", (protocol) => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  freshServer((fresh) => ({ server, endpoint } = fresh), { end: () => worker.stop() });

  const start = async <Input>(handler: Handler<Input>, more: object = {}): Promise<void> => {
    worker = await SdkWorker.start(server, endpoint, { handler, protocol, ...more });
  };
  /** Submits a job and waits for its end; its record and the outputs of its chunks. */
  const run = async (
    input: unknown = {},
  ): Promise<{ record: Record<string, unknown>; chunks: unknown[] }> => {
    const { json: record } = await server.post(`/v2/${endpoint}/runsync`, { input });
    const chunks: unknown[] = [];
    for (;;) {
      const { json } = await server.get(`/v2/${endpoint}/stream/${record.id}?from=${chunks.length}`);
      if (json.length === 0) return { record, chunks };
      chunks.push(...json.map((chunk: { output: unknown }) => chunk.output));
    }
  };

  const words = ["é – 二", { n: 1 }, [], null, "", "\u{1f600}"];
  const kinds: [kind: string, handler: Handler][] = [
    ["a generator", () => words.values()],
    ["a generator function", () => yielding(words)],
    ["an async generator function", () => asyncYielding(words)],
    ["an async function that returns a generator", async () => yielding(words)],
  ];
  test.each(kinds)("as %s: each yield is a chunk, the output is an empty list", async (_kind, handler) => {
    await start(handler);
    const { record, chunks } = await run();
    expect(chunks).toEqual(words);
    expect(record).toMatchObject({ status: "COMPLETED", output: [] });
  });

  test.each(kinds)(
    "4.A sentence 3 aggregate: as %s, with return_aggregate_stream the output is the list",
    async (_kind, handler) => {
      await start(handler, { return_aggregate_stream: true });
      const { record, chunks } = await run();
      expect(chunks).toEqual(words);
      expect(record).toMatchObject({ status: "COMPLETED", output: words });
    },
  );

  test("a chunk can be read as soon as it is yielded", async () => {
    const mayGoOn = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await start(async function* () {
      for (const [index, { promise }] of mayGoOn.entries()) {
        yield index;
        await promise;
      }
    });
    const id = await server.run(endpoint);
    for (const [index, { resolve }] of mayGoOn.entries()) {
      const { json } = await server.get(`/v2/${endpoint}/stream/${id}`);
      expect(json).toEqual([{ output: index }]);
      resolve();
    }
  });

  test("what is yielded may be changed and yielded again", async () => {
    await start(
      function* () {
        const state = { words: [] as string[] };
        for (const word of ["a", "b", "c"]) {
          state.words.push(word);
          yield state;
        }
      },
      { return_aggregate_stream: true },
    );
    const { record, chunks } = await run();
    const states = [{ words: ["a"] }, { words: ["a", "b"] }, { words: ["a", "b", "c"] }];
    expect([chunks, record["output"]]).toEqual([states, states]);
  });

  test("a yield with an error fails the job and closes the generator; chunks before it stay", async () => {
    let isClosed = false;
    await start(
      function* () {
        try {
          yield "before";
          yield { error: { code: 1 } };
          yield "never";
        } finally {
          isClosed = true;
        }
      },
      { return_aggregate_stream: true },
    );
    const { record, chunks } = await run();
    expect(record).toMatchObject({ status: "FAILED", error: '{"code":1}' });
    expect(record).not.toHaveProperty("output");
    expect(chunks).toEqual(["before"]);
    expect(isClosed).toBe(true);
  });

  test("a yield that the server refuses fails the job with the reason", async () => {
    const nested = JSON.parse("[".repeat(600) + "]".repeat(600));
    await start(() => yielding(["before", nested, "after"]));
    const { record, chunks } = await run();
    expect(record).toMatchObject({ status: "FAILED", error: expect.stringContaining("nested deeper") });
    expect(chunks).toEqual(["before"]);
  });

  test("a yield of 3 MB arrives whole, in chunks of the size that there may be", async () => {
    const text = "é – 二".repeat(320_000);
    await start(() => yielding([text, "end"]), { return_aggregate_stream: true });
    const { record, chunks } = await run();
    expect(record["output"]).toEqual([text, "end"]);
    expect(chunks.slice(0, -1).join("")).toBe(text);
    expect(chunks.at(-1)).toBe("end");
  });

  test("of eight jobs at once every chunk arrives, once and in order", async () => {
    const count = 300;
    await start<{ job: number }>(
      async function* ({ input }) {
        for (let n = 0; n < count; n++) {
          if (n % 7 === input.job) await new Promise(setImmediate);
          yield `${input.job}/${n}`;
        }
      },
      { concurrency: 8 },
    );
    const jobs = Array.from({ length: 8 }, (_, job) => run({ job }));
    for (const [job, { chunks }] of (await Promise.all(jobs)).entries()) {
      expect(chunks).toEqual(Array.from({ length: count }, (_, n) => `${job}/${n}`));
    }
  });
});

function* yielding(values: readonly unknown[]): Generator {
  yield* values;
}

async function* asyncYielding(values: readonly unknown[]): AsyncGenerator {
  for (const value of values) {
    await Promise.resolve();
    yield value;
  }
}
