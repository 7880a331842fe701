import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { CallingProgram } from "../support/calling-program.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { pythonProgram } from "../support/python.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { TestWorker } from "../support/test-worker.ts";

setDefaultTimeout(60_000);

const PROGRAM = join(import.meta.dir, "langchain_client.py");
const TEXT = "Grüße 😀\n\nand more";

/** What each model makes of a prompt, as its job gets it. */
const INPUTS = {
  llm: { prompt: "Hello", temperature: 0.5 },
  chat: { prompt: "User: Hello", temperature: 0.5 },
} as const;

describe.each(["llm", "chat"] as const)(
  "langchain-runpod, unmodified, with the server as its api_base: the %s",
  (kind) => {
    let server: EndToEndServer;
    let endpoint: string;
    let worker: TestWorker;
    let client: CallingProgram;
    beforeEach(async () => {
      server = await startEndToEnd();
      endpoint = await server.endpoint();
      worker = await server.worker(endpoint);
      connect(TEST_KEY);
    });
    afterEach(async () => {
      await client.kill();
      await server.stop();
    });

    function connect(key: string): void {
      const command = [pythonProgram("langchain"), PROGRAM, `${server.url}/v2`, key, endpoint];
      client = new CallingProgram(command);
    }

    /** The next job: what it was given, and what it ends with. */
    async function ends(result: unknown): Promise<unknown> {
      const { id, input } = (await worker.take()).json;
      await worker.done(id, result);
      return input;
    }

    test.each(["invoke", "ainvoke"])(
      "%s: the job gets the prompt, and its output's text comes back, in each usual shape",
      async (method) => {
        for (const output of [
          TEXT,
          { text: TEXT },
          ["Grüße 😀", "\n\nand more"],
          [{ choices: [{ tokens: ["Grüße 😀", "\n\nand more"] }], usage: { input: 1, output: 2 } }],
        ]) {
          const answer = client.call(`${kind}.${method}`, "Hello");
          expect(await ends({ output })).toEqual(INPUTS[kind]);
          expect(await answer).toBe(TEXT);
        }
      },
    );

    test.each(["stream", "astream"])("%s: the pieces, joined, are the text", async (method) => {
      const pieces = client.call(`${kind}.${method}`, "Hello");
      await ends({ output: TEXT });
      expect((await pieces).join("")).toBe(TEXT);
    });

    test("errors are raised, or returned, with the server's sentence", async () => {
      const failing = client.outcome(`${kind}.invoke`, "Hello");
      await ends({ error: "out of paint" });
      expect(JSON.stringify(await failing)).toContain("out of paint");
      await client.kill();
      connect("wrong");
      const refused = await client.outcome(`${kind}.invoke`, "Hello");
      expect(refused.raised).toBeString();
      expect(refused.message).toContain("401");
    });
  },
);
