import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { ChildWorker } from "./child-worker.ts";
import { PackedPackage } from "./packed-package.ts";
import { PROTOCOLS } from "./sdk-worker.ts";
import { TestServer } from "./test-server.ts";

const WORKER = `
import * as serverless from "@forebay/worker";

async function* answer({ input }, { signal, progress, log, trace }) {
  log.info("begun", { trace: trace?.traceId });
  progress({ name: input.name });
  for (const word of ["Hello,", input.name]) yield word;
  if (input.name === "last") await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

await serverless.start({
  handler: answer,
  return_aggregate_stream: true,
  concurrency_modifier: async () => 2,
  fitness_checks: [() => undefined],
});
console.log("ended on Node", process.versions.node, process.versions.bun ?? "without Bun");
`;

/** Tests that the package, as npm packs it, runs on a runtime; `program` answers where it is. */
export function testPackageOn(runtime: string, program: () => string, version: string): void {
  describe(`the package, as npm packs it, on ${runtime}`, () => {
    let project: PackedPackage;
    beforeAll(() => {
      project = new PackedPackage({ "worker.js": WORKER });
    }, 30_000);
    afterAll(() => project.remove());

    describe.each(PROTOCOLS)("over the %s protocol", (protocol) => {
      let server: TestServer;
      let endpoint: string;
      let worker: ChildWorker;
      beforeEach(async () => {
        server = await TestServer.start();
        endpoint = await server.endpoint();
        const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
        const environment = { ...json.env, FOREBAY_PROTOCOL: protocol };
        worker = new ChildWorker([program(), "worker.js"], environment, project.directory);
      });
      afterEach(async () => {
        await worker.kill();
        await server.stop();
      });

      test("runs without anything else: streams, tells progress, logs, stops and drains", async () => {
        const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
        const record = await server.post(`/v2/${endpoint}/runsync`, {
          input: { name: "Å – 二" },
          traceparent,
        });
        expect(record.json).toMatchObject({ status: "COMPLETED", output: ["Hello,", "Å – 二"] });
        expect(JSON.parse(await worker.line('"begun"'))).toMatchObject({
          requestId: record.json.id,
          trace: "a".repeat(32),
        });
        const chunks = await server.get(`/v2/${endpoint}/stream/${record.json.id}`);
        expect(chunks.json).toEqual([{ output: "Hello," }, { output: "Å – 二" }]);
        const last = await server.run(endpoint, { name: "last" });
        expect((await server.get(`/v2/${endpoint}/stream/${last}`)).json[0]).toEqual({ output: "Hello," });
        worker.signal("SIGTERM");
        await worker.line("takes no more jobs");
        await server.post(`/v2/${endpoint}/cancel/${last}`);
        expect(await worker.line("ended on Node")).toContain(version);
        expect(await worker.exit()).toBe(0);
      }, 15_000);
    });

    test("runs a test job without a server", () => {
      const args = ["worker.js", "--test_input", '{"input": {"name": "Ada"}}'];
      const { stdout, status } = spawnSync(program(), args, { cwd: project.directory, encoding: "utf8" });
      expect(stdout).toContain('"status": "COMPLETED"');
      expect(status).toBe(0);
    });

    test("serves the handler without a server", async () => {
      const command = [program(), "worker.js", "--rp_serve_api", "--rp_api_port", "0"];
      const worker = new ChildWorker(command, {}, project.directory);
      const url = /http:[^"]+/.exec(await worker.line("try the handler at"))?.[0] ?? "";
      const response = await fetch(url, { method: "POST", body: '{"input": {"name": "Ada"}}' });
      expect(await response.json()).toMatchObject({ status: "COMPLETED", output: ["Hello,", "Ada"] });
      worker.signal("SIGTERM");
      expect(await worker.exit()).toBe(0);
    }, 15_000);
  });
}
