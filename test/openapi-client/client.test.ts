import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

/** A program as its author would write it; the types are those that the generator makes of the document. */
const PROGRAM = (url: string) => `
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

const headers = { Authorization: "Bearer ${TEST_KEY}" };
// Server-sent events are for other programs.
const client = createClient<paths, "application/json">({ baseUrl: "${url}", headers });
const made = await client.POST("/v1/endpoints", { body: { name: "of a generated client" } });
if (made.error) throw new Error(made.error.error);
const path = { endpoint: made.data.id };
const submitted = await client.POST("/v2/{endpoint}/run", {
  params: { path, header: { "Idempotency-Key": "once" } },
  body: { input: { name: "world" }, policy: { ttl: 60_000 } },
});
if (submitted.error) throw new Error(submitted.error.error);
const job = { ...path, job: submitted.data.id };
const status = "/v2/{endpoint}/status/{job}";
const read = await client.GET(status, { params: { path: job, query: { ttl: 60_000 } } });
const state: components["schemas"]["JobState"] | undefined = read.data?.status;
const query = { from: 0, wait: 1_000 };
const chunks = await client.GET("/v2/{endpoint}/stream/{job}", { params: { path: job, query } });
const none: number | undefined = chunks.data?.length;
const absent = await client.GET(status, { params: { path: { ...path, job: "absent" } } });
const code: "JOB_NOT_FOUND" | string | undefined = absent.error?.code;
const deleted = await client.DELETE("/v1/endpoints/{endpoint}", { params: { path } });
const told = { state, none, code, status: absent.error?.status, deleted: deleted.response.status };
console.log(JSON.stringify(told));
`;

/** What the types refuse: a submission without input, a state that is none, a path that is not there. */
const WRONG = `
import createClient from "openapi-fetch";
import type { paths } from "./api.ts";

const client = createClient<paths>({ baseUrl: "" });
const path = { endpoint: "e", job: "j" };
// @ts-expect-error -- input is missing
await client.POST("/v2/{endpoint}/run", { params: { path }, body: {} });
const read = await client.GET("/v2/{endpoint}/status/{job}", { params: { path } });
// @ts-expect-error -- it is no state
read.data?.status === "DONE";
// @ts-expect-error -- it is no path
await client.GET("/v2/{endpoint}/statuses", { params: { path } });
`;

const OPTIONS = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  target: "ESNext",
  module: "Preserve",
  moduleResolution: "bundler",
  noEmit: true,
  allowImportingTsExtensions: true,
  lib: ["ESNext", "DOM"],
  types: [],
};

describe("a client that openapi-typescript makes of the document", () => {
  let server: TestServer;
  let directory: string;
  beforeAll(async () => {
    server = await TestServer.start();
    // Below this package, so that its program finds openapi-fetch.
    directory = mkdtempSync(join(import.meta.dir, "generated-"));
    const document = await (await fetch(`${server.url}/openapi.json`)).text();
    const files = {
      "openapi.json": document,
      "program.ts": PROGRAM(server.url),
      "wrong.ts": WRONG,
      "tsconfig.json": JSON.stringify({ compilerOptions: OPTIONS, include: ["."] }),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    run(join(import.meta.dir, "node_modules/.bin/openapi-typescript"), "openapi.json", "--output", "api.ts");
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await server.stop();
  });

  function run(program: string, ...args: string[]): void {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`);
  }

  test("its types are strict, and refuse what the API refuses", () => {
    run(join(import.meta.dir, "../../node_modules/.bin/tsc"), "-p", ".");
  });

  test("it makes an endpoint, submits a job, reads state and stream, and gets an error as data", async () => {
    const child = Bun.spawn([process.execPath, "program.ts"], { cwd: directory, stderr: "inherit" });
    const printed = await new Response(child.stdout).text();
    expect(await child.exited).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      state: "IN_QUEUE",
      none: 0,
      code: "JOB_NOT_FOUND",
      status: 404,
      deleted: 204,
    });
  });
});
