import { describe, expect, test } from "bun:test";
import { z } from "zod";
import type { StandardSchema, StartOptions } from "@forebay/worker";
import { freshServer } from "../support/fresh-server.ts";
import { SdkWorker } from "../support/sdk-worker.ts";
import type { TestServer } from "../support/test-server.ts";

/** A schema without a library: a number, or a text that is one, after a while. */
const NUMBER: StandardSchema<unknown, number> = {
  "~standard": {
    version: 1,
    vendor: "by hand",
    validate: async (value) => {
      await Promise.resolve();
      const number = Number(value);
      return Number.isNaN(number) ? { issues: [{ message: "no number" }] } : { value: number };
    },
  },
};

describe("a worker with schemas", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  freshServer((fresh) => ({ server, endpoint } = fresh), { end: () => worker.stop() });

  const start = async <Input = Record<string, unknown>, Output = unknown>(
    options: StartOptions<Input, Output>,
  ): Promise<void> => {
    worker = await SdkWorker.start(server, endpoint, options);
  };
  const run = async (input: unknown) => (await server.post(`/v2/${endpoint}/runsync`, { input })).json;

  test("hands the handler the input as the schema has it, with its types", async () => {
    await start({
      input: z.object({ name: z.string(), count: z.number().default(2) }),
      handler: ({ id, input }) => ({ id, text: input.name.repeat(input.count) }),
    });
    const record = await run({ name: "ab", other: 1 });
    expect(record).toMatchObject({ status: "COMPLETED", output: { id: record.id, text: "abab" } });
  });

  test("fails a job whose input does not pass, with path and message, and calls no handler", async () => {
    let calls = 0;
    await start({
      input: z.object({
        name: z.string("a name is a text"),
        items: z.array(z.object({ n: z.int("whole, please") })),
      }),
      handler: () => ++calls,
    });
    expect(await run({ name: 1, items: [{ n: 1 }, { n: 0.5 }] })).toMatchObject({
      status: "FAILED",
      error:
        "The input does not match its schema. input.name: a name is a text; input.items[1].n: whole, please",
    });
    expect(await run({ name: "a", items: [] })).toMatchObject({ status: "COMPLETED", output: 1 });
  });

  test("takes any schema of the standard, also one that answers later or names no path", async () => {
    const number: StandardSchema<unknown, { n: number }> = {
      "~standard": {
        version: 1,
        vendor: "by hand",
        validate: async (value) => {
          const { n } = value as { n: unknown };
          const result = await NUMBER["~standard"].validate(n);
          return result.issues === undefined ? { value: { n: result.value } } : result;
        },
      },
    };
    await start({ input: number, handler: ({ input }) => input.n + 1 });
    expect(await run({ n: "41" })).toMatchObject({ status: "COMPLETED", output: 42 });
    expect(await run({ n: "x" })).toMatchObject({
      status: "FAILED",
      error: "The input does not match its schema. input: no number",
    });
  });

  test("fails a job whose output does not pass; failures of the handler's own need not", async () => {
    await start({
      output: z.object({ text: z.string().transform((text) => text.length) }),
      handler: ({ input }) => {
        if (input["what"] === "fails") return { error: "no" };
        // What the types forbid comes from outside all the same.
        return (input["what"] === "wrong" ? { text: 1 } : { text: "four" }) as { text: string };
      },
    });
    expect(await run({ what: "wrong" })).toMatchObject({
      status: "FAILED",
      error: expect.stringMatching(/^The output does not match its schema\. output\.text: .+string/),
    });
    expect(await run({ what: "fails" })).toMatchObject({ status: "FAILED", error: "no" });
    expect(await run({ what: "right" })).toMatchObject({ status: "COMPLETED", output: { text: 4 } });
  });

  test("checks each yield, and closes the generator at the first that does not pass", async () => {
    let isClosed = false;
    await start({
      return_aggregate_stream: true,
      output: NUMBER,
      handler: function* ({ input }) {
        try {
          yield* input["texts"] as string[];
        } finally {
          isClosed = true;
        }
      },
    });
    expect(await run({ texts: ["1", "2"] })).toMatchObject({ status: "COMPLETED", output: [1, 2] });
    isClosed = false;
    expect(await run({ texts: ["1", "x", "3"] })).toMatchObject({
      status: "FAILED",
      error: "The output does not match its schema. output: no number",
    });
    expect(isClosed).toBe(true);
  });

  test("whose schema throws fails the job, and goes on", async () => {
    const thrower = z.object({ n: z.number() }).refine(({ n }) => {
      if (n === 0) throw new RangeError("the schema is broken");
      return true;
    });
    await start({ input: thrower, handler: ({ input }) => input.n });
    const record = await run({ n: 0 });
    expect(JSON.parse(record.error)).toMatchObject({ error_message: "the schema is broken" });
    expect(await run({ n: 1 })).toMatchObject({ output: 1 });
  });
});
