import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ChildWorker } from "../support/child-worker.ts";
import { PackedPackage } from "../support/packed-package.ts";
import { testPackageOn } from "../support/packed-runs.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

const CLIENT = `
import { Forebay, ForebayError } from "@forebay/worker/client";

const [url, key, id] = process.argv.slice(2);
const endpoint = new Forebay({ url, key }).endpoint(id);
const job = await endpoint.runSync({ name: "Node" });
for await (const { output } of endpoint.stream(job.id)) console.log(output);
const refused = await endpoint.status("none").catch((error) => error);
console.log(job.status, refused instanceof ForebayError, refused.code);
const nowhere = new Forebay({ url: "http://127.0.0.1:9", key, patience: 0 }).endpoint("a");
console.log(await nowhere.health().catch(({ code, message }) => [code, message.split(" at")[0]]));
`;

const TYPED_CLIENT = `
import { type EndedJob, Forebay } from "@forebay/worker/client";

const chat = new Forebay({ url: "http://127.0.0.1:8000", key: "k" })
  .endpoint<{ prompt: string }, { text: string }, string>("chat");
const { signal } = new AbortController();
const job: EndedJob<{ text: string }> = await chat.runSync({ prompt: "a" }, { signal });
if (job.status === "COMPLETED") console.log(job.output?.text.length);
else console.log(job.error?.length);
for await (const { output } of chat.stream(job.id)) console.log(output.length);
// @ts-expect-error -- not what the worker takes
await chat.run({ prompt: 1 });
`;

const TYPED_WORKER = `
import { type Handler, type Job, type JobContext, type StandardSchema, start } from "@forebay/worker";

const double = ({ input }: Job<{ n: number }>, { signal, progress, log, trace }: JobContext): number => {
  progress(signal.aborted);
  log.info("doubling", { n: input.n, trace: trace?.traceId });
  return 2 * input.n;
};
const handler: Handler = ({ id, s3Config, policy }) => [id, s3Config?.["bucketName"], policy?.ttl];

await start({ handler: double, concurrency: 4, concurrency_modifier: (current) => current + 1 });
await start({ handler, protocol: "public", return_aggregate_stream: true });
// @ts-expect-error -- a name that there is not
await start({ handler, aggregate: true });

declare const input: StandardSchema<{ n?: number }, { n: number }>;
declare const output: StandardSchema<{ text: string }, string>;
// What the schemas say is what the handler takes and returns.
await start({ input, output, handler: ({ input: { n } }) => ({ text: n.toFixed() }) });
await start({ input, output, handler: async () => ({ text: "a", refresh_worker: true }) });
await start({ output, handler: () => ({ error: "no" }) });
await start({ output, handler: function* () { yield { text: "a" }; } });
await start({ output, handler: async function* () { yield { text: "a" }; } });
await start({ input, handler: double });
// @ts-expect-error -- n is a number
await start({ input, handler: ({ input: { n } }) => n.trim() });
// @ts-expect-error -- text is a string
await start({ output, handler: () => ({ text: 1 }) });
// @ts-expect-error -- text is a string in each yield
await start({ output, handler: function* () { yield { text: 1 }; } });
// @ts-expect-error -- what the handler takes is not what the schema gives
await start({ input, handler: ({ input }: Job<{ n: string }>) => input.n });
const typed: Handler<{ n: number }, { text: string }> = ({ input }) => ({ text: input.n.toFixed() });
await start({ handler: typed });
`;

testPackageOn("the Node at hand", () => "node", "without Bun");
testPackageOn("Bun", () => process.execPath, Bun.version);

describe("the package, as npm packs it", () => {
  let project: PackedPackage;
  beforeAll(() => {
    project = new PackedPackage({
      "client.js": CLIENT,
      "typed-client.ts": TYPED_CLIENT,
      "typed-worker.ts": TYPED_WORKER,
    });
  }, 30_000);
  afterAll(() => project.remove());

  test("its client runs on Node without anything else", async () => {
    const server = await TestServer.start();
    try {
      const endpoint = await server.endpoint();
      const args = ["client.js", server.url, TEST_KEY, endpoint];
      const client = new ChildWorker(["node", ...args], {}, project.directory);
      const worker = await server.worker(endpoint);
      const { id } = (await worker.take()).json;
      await worker.stream(id, { output: "Hello," });
      await worker.done(id, { output: [] });
      await client.line("COMPLETED true JOB_NOT_FOUND");
      await client.line("[ 'UNREACHABLE', 'no server answers' ]");
      expect(await client.exit()).toBe(0);
    } finally {
      await server.stop();
    }
  });

  test("gives TypeScript its types, also without those of Node or Bun", () => {
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
    const types = ["--types", "", "--lib", "es2023,dom", "--exactOptionalPropertyTypes"];
    project.run(["tsc", ...options, ...types, "typed-worker.ts", "typed-client.ts"]);
  });

  test("depends on nothing", () => {
    const text = readFileSync(join(project.installed, "package.json"), "utf8");
    expect(Object.keys(JSON.parse(text)).filter((key) => /dependencies/i.test(key))).toEqual([]);
  });
});
