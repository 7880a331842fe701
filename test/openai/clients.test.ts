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
import { pythonProgram } from "../support/python.ts";
import { TEST_KEY } from "../support/test-client.ts";

setDefaultTimeout(60_000);

const TEXT = "Grüße 😀 and\n\ndata: [DONE]";
const PROGRAMS = {
  "openai of npm": () => ["node", join(import.meta.dir, "client.mjs")],
  "openai of PyPI": () => [pythonProgram("openai"), join(import.meta.dir, "client.py")],
} as const;

const STREAMING = ["vllm", "vllm-batched", "vllm-parsed", "sgl", "sgl-pretty", "objects"] as const;
const WHOLE = ["vllm", "sgl"] as const;
const MESSAGES = [{ role: "user", content: "Wie geht's?" }];
const TOOLS = [
  {
    type: "function",
    function: {
      name: "weather",
      description: 'of "Köln" \\ 😀',
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

let server: EndToEndServer;
let generator: string;
let infinity: string;
const python = new PythonProcesses();
beforeAll(async () => {
  server = await startEndToEnd();
  generator = await server.endpoint();
  infinity = await server.endpoint();
  await python.worker({ server, endpoint: generator, script: "openai_forms.py" });
  await python.worker({ server, endpoint: infinity, script: "openai_infinity.py" });
});
afterAll(async () => {
  await python.end();
  await server.stop();
});

describe.each(Object.entries(PROGRAMS))(
  "%s, unmodified, with the OpenAI route as its base URL",
  (_name, program) => {
    let client: CallingProgram;
    beforeEach(() => connect(generator));
    afterEach(() => client.kill());

    function connect(endpoint: string, key = TEST_KEY): void {
      client = new CallingProgram([...program(), `${server.url}/v2/${endpoint}/openai/v1`, key]);
    }

    async function connectAnew(endpoint: string, key = TEST_KEY): Promise<void> {
      await client.kill();
      connect(endpoint, key);
    }

    const outcome: CallingProgram["outcome"] = (...call) => client.outcome(...call);
    const call: CallingProgram["call"] = (...call) => client.call(...call);

    describe.each(WHOLE)("of a worker like %s", (model) => {
      test("a chat completion, a completion, an embedding, a response", async () => {
        const chat = await call("chat.completions.create", { model, messages: MESSAGES });
        expect(chat.choices[0].message.content).toBe(TEXT);
        expect(chat._request_id).toStartWith("sync-");
        const completion = await call("completions.create", { model, prompt: "Hello" });
        expect(completion.choices[0].text).toBe(TEXT);
        const embeddings = await call("embeddings.create", { model, input: "Hello" });
        expect(embeddings.data[0].embedding).toEqual([0.5, -0.25, 1]);
        const response = await call("responses.create", { model, input: "Hello" });
        expect(response.output[0].content[0].text).toBe(TEXT);
      });

      test("tools arrive as they were sent, and calls of them come back", async () => {
        const { choices } = await call("chat.completions.create", {
          model,
          messages: MESSAGES,
          tools: TOOLS,
        });
        const { name, arguments: seen } = choices[0].message.tool_calls[0].function;
        expect([name, JSON.parse(seen)]).toEqual(["weather", TOOLS]);
      });
    });

    describe.each(STREAMING)("streamed by a worker like %s", (model) => {
      test("a chat completion and a completion, word by word", async () => {
        const chat = await call("chat.completions.create", { model, messages: MESSAGES, stream: true });
        // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
        const words = chat.map(({ choices }: any) => choices[0].delta.content);
        expect([words.length, words.join("")]).toEqual([5, TEXT]);
        const completion = await call("completions.create", { model, prompt: "Hello", stream: true });
        // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
        expect(completion.map(({ choices }: any) => choices[0].text).join("")).toBe(TEXT);
      });

      test("calls of tools", async () => {
        const wish = { model, messages: MESSAGES, tools: TOOLS, stream: true };
        const [first] = await call("chat.completions.create", wish);
        const { name, arguments: seen } = first.choices[0].delta.tool_calls[0].function;
        expect([name, JSON.parse(seen)]).toEqual(["weather", TOOLS]);
      });
    });

    test.each(["vllm", "vllm-batched", "sgl", "objects"])(
      "a response by events with types, from %s",
      async (model) => {
        const events = await call("responses.create", { model, input: "Hello", stream: true });
        // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
        const deltas = events.filter(({ type }: any) => type === "response.output_text.delta");
        expect(deltas.map(({ delta }: { delta: string }) => delta).join("")).toBe(TEXT);
        expect(events.at(-1).type).toBe("response.completed");
      },
    );

    test("an event above 1 MB comes whole", async () => {
      const wish = { model: "large", messages: MESSAGES, stream: true };
      const chunks = await call("chat.completions.create", wish);
      expect(chunks).toHaveLength(1);
      expect(chunks[0].choices[0].delta.content === TEXT.repeat(50_000)).toBe(true);
    });

    test("models, and one whose name has a slash", async () => {
      expect(await call("models.list", {})).toMatchObject([{ id: "team/small" }]);
      expect(await call("models.retrieve", "team/small", {})).toMatchObject({ id: "team/small" });
    });

    test("a worker that is no generator: embeddings, chat, and chat that is to be streamed", async () => {
      await connectAnew(infinity);
      const model = "small";
      const embeddings = await call("embeddings.create", {
        model,
        input: ["Hello"],
        encoding_format: "float",
      });
      expect(embeddings.data[0].embedding).toEqual([0.5, -0.25, 1]);
      const chat = await call("chat.completions.create", { model, messages: MESSAGES });
      expect(chat.choices[0].message.content).toBe(TEXT);
      expect(await call("chat.completions.create", { model, messages: MESSAGES, stream: true })).toHaveLength(
        1,
      );
      expect(await outcome("embeddings.create", { model: "refused", input: "x" })).toMatchObject({
        raised: "BadRequestError",
        message: "too long",
      });
    });

    test.each([false, true])("errors of the model have their status, stream: %p", async (stream) => {
      const asked = (model: string): Promise<unknown> =>
        outcome("chat.completions.create", { model, messages: MESSAGES, stream });
      expect(await asked("missing")).toEqual({
        raised: "NotFoundError",
        status: 404,
        message: "vLLM returned HTTP 404: The model `missing` does not exist.",
      });
      expect(await asked("refused")).toEqual({ raised: "BadRequestError", status: 400, message: "too long" });
      expect(await asked("proxied")).toEqual({
        raised: "BadRequestError",
        status: 400,
        message: 'it\'s "too" long',
      });
    });

    test("an error of the worker arrives, also within a stream, and is not retried", async () => {
      const before = await jobs();
      const wish = { model: "late", messages: MESSAGES };
      const whole = await outcome("chat.completions.create", wish);
      expect([whole.raised, whole.status]).toEqual(["InternalServerError", 500]);
      expect(whole.message).toStartWith("handler: out of paint");
      const late = await outcome("chat.completions.create", { ...wish, stream: true });
      expect(late).toMatchObject({ raised: "APIError", message: expect.stringContaining("out of paint") });
      expect(await jobs()).toBe(before + 2);
    });

    const jobs = async (): Promise<number> => (await server.get(`/v2/${generator}/health`)).json.jobs.failed;

    test("a wrong key, a wrong endpoint, a call that is malformed", async () => {
      expect(
        await outcome("chat.completions.create", { model: "x", messages: MESSAGES, stream: "yes" }),
      ).toMatchObject({
        raised: "BadRequestError",
        status: 400,
      });
      await connectAnew(generator, "wrong");
      expect(await outcome("models.list", {})).toMatchObject({ raised: "AuthenticationError", status: 401 });
      await connectAnew("absent");
      expect(await outcome("models.list", {})).toMatchObject({ raised: "NotFoundError", status: 404 });
    });
  },
);
