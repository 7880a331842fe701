import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { freshServer } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";

const EXAMPLES = join(import.meta.dir, "../../examples");

describe("the example in TypeScript", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: ChildWorker;
  freshServer((fresh) => ({ server, endpoint } = fresh), { end: () => worker.kill() });

  const start = async (example: string): Promise<void> => {
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    worker = new ChildWorker([process.execPath, join(EXAMPLES, example)], json.env);
  };
  test("typed/worker.ts counts words, and refuses what is not its input", async () => {
    await start("typed/worker.ts");
    const most = [{ word: "to", count: 2 }];
    expect(await run({ text: "To be, or not to be", top: 1 })).toMatchObject({ output: { words: 6, most } });
    expect(await run({ text: "", top: 1 })).toMatchObject({
      status: "FAILED",
      error: expect.stringContaining("input.text: "),
    });
  });

  test("typed/worker.ts runs its test input without a server", async () => {
    const directory = join(EXAMPLES, "typed");
    worker = new ChildWorker([process.execPath, "worker.ts"], {}, directory);
    expect(await worker.exit()).toBe(0);
    await worker.line('"words": 6');
  });

  const run = async (input: unknown) => (await server.post(`/v2/${endpoint}/runsync`, { input })).json;

  test("hello/worker.ts greets whom it is told to", async () => {
    await start("hello/worker.ts");
    expect(await run({ name: "Ada" })).toMatchObject({ output: { greeting: "Hello, Ada!" } });
    expect(await run({})).toMatchObject({ output: { greeting: "Hello, world!" } });
  });

  test("stream/worker.ts streams a text word by word, and returns all words", async () => {
    await start("stream/worker.ts");
    const { id, output } = await run({ text: "to be or not" });
    expect(output).toEqual(["to", "be", "or", "not"]);
    const { json } = await server.get(`/v2/${endpoint}/stream/${id}`);
    expect(json).toEqual(output.map((word: string) => ({ output: word })));
    expect(await run({ text: " " })).toMatchObject({ status: "COMPLETED", output: [] });
  });
});
