import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { OpenApiChecks } from "../support/openapi-checks.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";

const RUNS = Number(process.env["RUNS"] ?? 700);
const SEED = process.env["SEED"] === undefined ? {} : { seed: Number(process.env["SEED"]) };

const checks = { "": new OpenApiChecks("spec"), "/sdk": new OpenApiChecks("sdk") } as const;

const object = fc.dictionary(
  fc.string().filter((name) => name !== "stream"),
  fc.jsonValue(),
);
const text = object.map((value) => JSON.stringify(value));

/** A body that is no JSON, no object, or has a `stream` that is none. */
const wrongBody = fc.oneof(
  fc.uint8Array().filter((bytes) => bytes[0] !== 0x7b),
  fc.jsonValue().filter((value) => typeof value !== "object" || value === null || Array.isArray(value)),
  fc.tuple(text, fc.nat()).map(([json, place]) => json.slice(0, place % json.length)),
  fc
    .tuple(object, fc.oneof(fc.string(), fc.integer(), fc.array(fc.jsonValue()), object))
    .map(([value, stream]) => Object.assign({}, value, { stream: stream ?? 1 })),
);

const route = fc.constantFrom("v1/chat/completions", "v1/embeddings", "v1/responses", "v2/any-thing/else_1");
const base = fc.constantFrom("", "/sdk");

describe("random calls of the OpenAI route", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
    worker = await server.worker(endpoint);
  });
  afterAll(() => server.stop());

  test("what is malformed is 400 as it is documented, in the shape of OpenAI, and makes no job", async () => {
    await fc.assert(
      fc.asyncProperty(base, route, wrongBody, async (dialect, named, body) => {
        const isBytes = body instanceof Uint8Array || typeof body === "string";
        const sent = isBytes ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
        const path = `${dialect}/v2/${endpoint}/openai/${named}`;
        const { status, headers, json } = await server.post(path, new Uint8Array(sent));
        const operation = checks[dialect].find("POST", "/v2/{endpoint}/openai/{route}");
        if (operation === undefined) throw new Error("the route is not documented");
        expect([status, checks[dialect].faultsOf(operation, { status, headers, json })]).toEqual([400, []]);
        expect(json.error.message).toBeString();
      }),
      { numRuns: RUNS, ...SEED },
    );
    expect((await server.get(`/v2/${endpoint}/health`)).json.jobs.inQueue).toBe(0);
  });

  test("what is well formed reaches the worker byte for byte, and its answer the caller", async () => {
    await fc.assert(
      fc.asyncProperty(base, route, text, fc.jsonValue(), async (dialect, path, body, answer) => {
        // A list is unwrapped, and text may be JSON.
        const output = { object: "x", answer };
        const asked = server.post(`${dialect}/v2/${endpoint}/openai/${path}`, body);
        const taken = await worker.take();
        expect(taken.text).toEndWith(`"input":{"openai_route":"/${path}","openai_input":${body}}}`);
        const sent = JSON.stringify(output);
        await worker.done(taken.json.id, `{"output":${sent}}`);
        const { status, text: told } = await asked;
        expect([status, told]).toEqual([200, sent]);
      }),
      { numRuns: RUNS / 5, ...SEED },
    );
  });
});
