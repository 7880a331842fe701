import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { TestWorker } from "../support/test-worker.ts";

const JSON_BODY = `-H "accept: application/json" -H "content-type: application/json"`;
const RAW = `-H "authorization: $RUNPOD_API_KEY"`;
const BEARER = `-H 'Authorization: Bearer '"$RUNPOD_API_KEY"`;

/**
 * Calls as the public guides of the hosted service show them (its documentation of 2026-08-20: the folder
 * `serverless` and `tutorials/serverless`), with our address: methods, headers and quotes are theirs. One
 * guide has `curl -x POST`, which asks for a proxy, and is left out.
 */
const CURLS: readonly (readonly [guide: string, command: string, answer: object])[] = [
  [
    "endpoints/operation-reference: run",
    `curl --request POST --url $BASE/v2/$ENDPOINT_ID/run ${JSON_BODY} ${RAW} \\
      -d '{"input": {"prompt": "Hello, world!"}}'`,
    { id: expect.any(String), status: "IN_QUEUE" },
  ],
  [
    "endpoints/operation-reference: status",
    `curl --request GET --url $BASE/v2/$ENDPOINT_ID/status/$DONE_JOB_ID ${RAW}`,
    {
      id: expect.any(String),
      status: "COMPLETED",
      output: "done",
      delayTime: expect.any(Number),
      executionTime: expect.any(Number),
    },
  ],
  [
    "endpoints/operation-reference: stream",
    `curl --request GET --url $BASE/v2/$ENDPOINT_ID/stream/$STREAMED_JOB_ID \\
      -H "accept: application/json" ${RAW}`,
    [{ output: "one" }, { output: "two" }],
  ],
  [
    "endpoints/operation-reference: cancel",
    `curl --request POST --url $BASE/v2/$ENDPOINT_ID/cancel/$WAITING_JOB_ID ${RAW}`,
    { id: expect.any(String), status: "CANCELLED" },
  ],
  [
    "endpoints/operation-reference: retry",
    `curl --request POST --url $BASE/v2/$ENDPOINT_ID/retry/$FAILED_JOB_ID ${RAW}`,
    { id: expect.any(String), status: "IN_QUEUE" },
  ],
  [
    "endpoints/operation-reference: health",
    `curl --request GET --url $BASE/v2/$ENDPOINT_ID/health ${RAW}`,
    {
      jobs: { completed: 2, failed: 1, inProgress: 0, inQueue: 2, retried: 1 },
      workers: expect.objectContaining({ idle: 1, running: 0 }),
    },
  ],
  [
    "endpoints/operation-reference: purge-queue",
    `curl --request POST --url $BASE/v2/$ENDPOINT_ID/purge-queue ${RAW}`,
    { removed: 2, status: "completed" },
  ],
  [
    "endpoints/send-requests: policy and webhook",
    `curl -X POST $BASE/v2/$ENDPOINT_ID/run -H "Content-Type: application/json" ${BEARER} \\
      -d '{"input": {"prompt": "Your input here"}, "webhook": "https://example.com/hook",
           "policy": {"executionTimeout": 900000, "lowPriority": false, "ttl": 3600000}}'`,
    { id: expect.any(String), status: "IN_QUEUE" },
  ],
  [
    "development/benchmarking: status with a content type and no body",
    `curl -X GET $BASE/v2/$ENDPOINT_ID/status/$DONE_JOB_ID -H "Content-Type: application/json" ${BEARER}`,
    {
      id: expect.any(String),
      status: "COMPLETED",
      output: "done",
      delayTime: expect.any(Number),
      executionTime: expect.any(Number),
    },
  ],
  [
    "tutorials/comfyui: run with a file",
    `curl -X POST $BASE/v2/$ENDPOINT_ID/run -H 'Content-Type: application/json' ${BEARER} -d @workflow.json`,
    { id: expect.any(String), status: "IN_QUEUE" },
  ],
  [
    "endpoints/overview: create an endpoint",
    `curl --request POST --url $BASE/v1/endpoints --header 'Authorization: Bearer '"$RUNPOD_API_KEY" \\
      --header 'Content-Type: application/json' --data '{
        "name": "my-endpoint", "templateId": "'"$TEMPLATE_ID"'", "gpuTypeIds": ["NVIDIA GeForce RTX 4090"],
        "workersMin": 0, "workersMax": 3, "idleTimeout": 5 }'`,
    expect.objectContaining({ name: "my-endpoint", workersMin: 0, workersMax: 3, idleTimeout: 5 }),
  ],
];

/** Calls that wait for a worker. */
const WAITING: readonly (readonly [guide: string, command: string])[] = [
  [
    "endpoints/operation-reference: runsync",
    `curl --request POST --url $BASE/v2/$ENDPOINT_ID/runsync ${JSON_BODY} ${RAW} \\
      -d '{ "input": {  "prompt": "Hello, world!" }}'`,
  ],
  [
    "vllm/get-started and tutorials/generate-sdxl-turbo: runsync, the address in quotes, a body of lines",
    `curl -X POST "$BASE/v2/\${ENDPOINT_ID}/runsync" ${JSON_BODY} ${BEARER} -d '{
        "input": {
            "prompt": "Hello, world!"
        }
     }'`,
  ],
];

describe("the curls of the public guides, with our address", () => {
  let server: EndToEndServer;
  let worker: TestWorker;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    writeFileSync(join(directory.path, "workflow.json"), JSON.stringify({ input: { workflow: {} } }));
    server = await startEndToEnd();
    const endpoint = await server.endpoint();
    const template = await server.post("/v1/templates", { name: "guide", imageName: "team/worker:1" });
    worker = await server.worker(endpoint);
    const failed = await ended(endpoint, { error: "no" });
    const done = await ended(endpoint, { output: "done" });
    const streamed = await ended(endpoint, { output: [] }, ["one", "two"]);
    env = {
      BASE: server.url,
      RUNPOD_API_KEY: TEST_KEY,
      ENDPOINT_ID: endpoint,
      TEMPLATE_ID: template.json.id,
      FAILED_JOB_ID: failed,
      DONE_JOB_ID: done,
      STREAMED_JOB_ID: streamed,
      WAITING_JOB_ID: await server.run(endpoint),
    };
  });
  afterAll(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  /** A job that a worker has ended like this, after these chunks. */
  async function ended(endpoint: string, result: object, chunks: readonly string[] = []): Promise<string> {
    const id = await server.run(endpoint);
    await worker.take();
    for (const output of chunks) await worker.stream(id, { output });
    await worker.done(id, result);
    return id;
  }

  /** What the command prints, as JSON. */
  async function answer(command: string): Promise<unknown> {
    const curl = Bun.spawn(["sh", "-c", `${command} --silent --show-error`], {
      cwd: directory.path,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stderr: "inherit",
    });
    const printed = await new Response(curl.stdout).text();
    expect([await curl.exited, printed]).toEqual([0, expect.stringMatching(/^\s*[[{]/)]);
    return JSON.parse(printed);
  }

  test.each(CURLS)("%s", async (_guide, command, expected) => {
    expect(await answer(command)).toMatchObject(expected);
  });

  test.each(WAITING)("%s", async (_guide, command) => {
    await answer(`curl -X POST $BASE/v2/$ENDPOINT_ID/purge-queue ${RAW}`);
    const asked = answer(command);
    const { id, input } = (await worker.take()).json;
    expect(input).toEqual({ prompt: "Hello, world!" });
    await worker.done(id, { output: "Hello" });
    const times = { delayTime: expect.any(Number), executionTime: expect.any(Number) };
    expect(await asked).toEqual({
      id,
      status: "COMPLETED",
      output: "Hello",
      ...times,
      workerId: expect.any(String),
    });
  });
});
