import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import type { TestServer } from "../support/test-server.ts";

setDefaultTimeout(30_000);

interface Input {
  readonly openai_route: string;
  readonly openai_input: { readonly outputs: readonly unknown[]; readonly error?: string };
}

const EVENT = 'data: {"text":"Grüße 😀"}\n\n';
const DONE = "data: [DONE]\n\n";

describe.each(PROTOCOLS)(
  "the OpenAI route with a worker of our own library, by the %s protocol",
  (protocol) => {
    let server: TestServer;
    let endpoint: string;
    const flags = { "take-hold-ms": "500" };
    freshServer((fresh) => ({ server, endpoint } = fresh), { flags });

    /** What comes back for each body, from a worker that yields what the body says. */
    async function answers(isAggregating: boolean, bodies: readonly object[]): Promise<unknown[]> {
      async function* handler({ input }: { input: Input }): AsyncGenerator {
        yield* input.openai_input.outputs;
        if (input.openai_input.error !== undefined) throw new Error(input.openai_input.error);
      }
      const options = { handler, protocol, return_aggregate_stream: isAggregating } as const;
      const worker = await SdkWorker.start(server, endpoint, options);
      const told: unknown[] = [];
      for (const body of bodies) {
        const { status, json, text } = await server.post(`/v2/${endpoint}/openai/v1/chat/completions`, body);
        told.push(status === 200 ? (json ?? text) : [status, json.error.message]);
      }
      await worker.stop();
      return told;
    }

    test.each([true, false])(
      "text, objects and lists, streamed and not; aggregating: %p",
      async (isAggregating) => {
        const stream = true;
        const told = await answers(isAggregating, [
          { outputs: [{ id: "c" }] },
          { outputs: ['{"id":', '"c"}'] },
          { stream, outputs: [EVENT.slice(0, 20), EVENT.slice(20), DONE] },
          { stream, outputs: [[{ n: 1 }, { n: 2 }], { n: 3 }] },
        ]);
        const objects = [1, 2, 3].map((n) => `data: {"n":${n}}\n\n`).join("");
        expect(told).toEqual([{ id: "c" }, { id: "c" }, EVENT + DONE, objects + DONE]);
      },
    );

    test("an object above 1 MB is one event, and one answer", async () => {
      const large = { text: "Grüße 😀".repeat(150_000) };
      const [event, whole] = await answers(false, [{ stream: true, outputs: [large] }, { outputs: [large] }]);
      expect(event === `data: ${JSON.stringify(large)}\n\n${DONE}`).toBe(true);
      expect(whole).toEqual(large);
    });

    test("a handler that throws: a status before the first event, the last event later", async () => {
      const error = "HTTP 404: no model";
      const stream = true;
      const [whole, first, later] = await answers(true, [
        { outputs: [], error },
        { stream, outputs: [], error },
        { stream, outputs: [EVENT], error },
      ]);
      expect([whole, first]).toEqual([
        [404, expect.stringContaining(error)],
        [404, expect.stringContaining(error)],
      ]);
      expect(later).toStartWith(`${EVENT}data: {"error":{"message":`);
      expect(later).not.toContain("[DONE]");
    });
  },
);
