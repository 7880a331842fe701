import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { join } from "node:path";
import { CallingProgram } from "../support/calling-program.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { PythonProcesses } from "../support/python-processes.ts";
import { TEST_KEY } from "../support/test-client.ts";
import type { TestWorker } from "../support/test-worker.ts";

setDefaultTimeout(60_000);

const PROGRAM = join(import.meta.dir, "ai-sdk.mjs");
const TEXT = "Grüße 😀 and\n\ndata: [DONE]";
/** The models of test/python/workers/openai_forms.py: each is a form in which a worker answers. */
const STREAMING = ["vllm", "vllm-batched", "vllm-parsed", "sgl", "sgl-pretty", "objects"] as const;
const WEATHER = {
  description: 'of "Köln" \\ 😀',
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
/** As they stand in the request that the worker gets. */
const TOOLS = [
  {
    type: "function",
    function: {
      name: "weather",
      description: WEATHER.description,
      parameters: WEATHER.inputSchema,
    },
  },
];

let server: EndToEndServer;
let generator: string;
let client: CallingProgram;
const python = new PythonProcesses();
beforeAll(async () => {
  server = await startEndToEnd();
  generator = await server.endpoint();
  await python.worker({ server, endpoint: generator, script: "openai_forms.py" });
});
afterEach(() => client.kill());
afterAll(async () => {
  await python.end();
  await server.stop();
});

function connect(path: string, key = TEST_KEY, wait = ""): void {
  client = new CallingProgram(["node", PROGRAM, `${server.url}/v2/${path}`, key, wait]);
}

describe("the Vercel AI SDK with the public provider, unmodified on Node: text", () => {
  beforeEach(() => connect(`${generator}/openai/v1`));

  test("generateText: the text and its use, of a worker that answers JSON or text in pieces", async () => {
    for (const model of ["vllm", "sgl"]) {
      const { text, finishReason, usage } = await client.call("generateText", { model, prompt: "Hello" });
      expect([text, finishReason, usage.inputTokens]).toEqual([TEXT, "stop", 1]);
    }
  });

  test("streamText: word by word, of each form in which a worker streams", async () => {
    for (const model of STREAMING) {
      const { pieces } = await client.call("streamText", { model, prompt: "Hello" });
      expect([model, pieces.length, pieces.join("")]).toEqual([model, 5, TEXT]);
    }
  });

  test.each(["generateText", "streamText"])(
    "%s: tools arrive as they were sent, and calls of them come back",
    async (name) => {
      const wish = { model: "vllm", prompt: "Wie geht's?", tools: { weather: WEATHER } };
      const { toolCalls } = await client.call(name, wish);
      expect(toolCalls).toMatchObject([{ toolName: "weather", toolCallId: "call-1", input: TOOLS }]);
    },
  );

  test.each(["generateText", "streamText"])("%s: errors of the model have their status", async (name) => {
    expect(await client.outcome(name, { model: "missing", prompt: "Hello" })).toEqual({
      raised: "AI_APICallError",
      status: 404,
      message: "vLLM returned HTTP 404: The model `missing` does not exist.",
    });
    const late = await client.outcome("streamText", { model: "late", prompt: "Hello", maxRetries: 0 });
    expect(JSON.stringify(late)).toContain("out of paint");
  });

  test("a wrong key is an error with the server's sentence, and not retried", async () => {
    await client.kill();
    connect(`${generator}/openai/v1`, "wrong");
    const refused = await client.outcome("generateText", { model: "vllm", prompt: "Hello" });
    expect(refused).toMatchObject({ raised: "AI_APICallError", status: 401 });
    expect(refused.message).toContain("key");
  });
});

describe("the Vercel AI SDK with the public provider, unmodified on Node: images", () => {
  const PIXELS = Buffer.from("GIF89a, as far as anybody looks").toString("base64");
  const result = `data:image/gif;base64,${PIXELS}`;
  const wish = { model: "painter", prompt: "a horse", size: "512x512", maxRetries: 0 };
  let endpoint: string;
  let worker: TestWorker;
  beforeEach(async () => {
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    connect(endpoint);
  });

  test("generateImage: the job gets what was asked, and its output's image comes back", async () => {
    const image = client.call("generateImage", wish);
    const { id, input } = (await worker.take()).json;
    expect(id).toStartWith("sync-");
    expect(input).toMatchObject({ prompt: "a horse", size: "512*512" });
    await worker.done(id, { output: { result, cost: 0.5 } });
    expect(await image).toBe(PIXELS);
  });

  test("generateImage: a job that runs for longer than runsync waits is asked for by status", async () => {
    await client.kill();
    connect(endpoint, TEST_KEY, "1000");
    const providerOptions = { runpod: { pollIntervalMillis: 50 } };
    const image = client.call("generateImage", { ...wish, providerOptions });
    const { id } = (await worker.take()).json;
    await client.line(`asks /status/${id}`);
    await worker.done(id, { output: { image_url: result } });
    expect(await image).toBe(PIXELS);
  });

  test("generateImage: a job that fails is an error with the worker's text", async () => {
    const failing = client.outcome("generateImage", wish);
    await worker.done((await worker.take()).json.id, { error: "out of paint" });
    expect((await failing).message).toBe("Image generation failed: out of paint");
  });
});
