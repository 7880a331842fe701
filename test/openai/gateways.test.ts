import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { CallingProgram } from "../support/calling-program.ts";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { PythonProcesses } from "../support/python-processes.ts";
import { pythonProgram } from "../support/python.ts";
import { until } from "../support/until.ts";
import { TEST_KEY } from "../support/test-client.ts";

setDefaultTimeout(60_000);

const PROGRAM = join(import.meta.dir, "gateways.py");
const TEXT = "Grüße 😀 and\n\ndata: [DONE]";
const MESSAGES = [{ role: "user", content: "Wie geht's?" }];

let server: EndToEndServer;
let generator: string;
let client: CallingProgram;
const python = new PythonProcesses();
beforeAll(async () => {
  server = await startEndToEnd();
  generator = await server.endpoint();
  await python.worker({ server, endpoint: generator, script: "openai_forms.py" });
  client = new CallingProgram([pythonProgram("gateways"), PROGRAM]);
  // Their imports take seconds, and far longer on a busy machine.
  await until("the packages are imported", () => client.lines.includes("ready"), 55_000);
});
afterAll(async () => {
  await client.kill();
  await python.end();
  await server.stop();
});

/** The arguments of a call of this endpoint. */
function at(wish: object, endpoint = generator, key = TEST_KEY): unknown[] {
  return [wish, `${server.url}/v2/${endpoint}/openai/v1`, key];
}

describe("LiteLLM, unmodified, with the OpenAI route as its api_base", () => {
  test.each(["vllm", "sgl"])("a completion whole and in pieces, of a worker like %s", async (model) => {
    const wish = { model, messages: MESSAGES };
    expect(await client.call("litellm.completion", ...at(wish))).toMatchObject({
      role: "assistant",
      content: TEXT,
    });
    const pieces: (string | null)[] = await client.call(
      "litellm.completion",
      ...at({ ...wish, stream: true }),
    );
    expect(pieces.join("")).toBe(TEXT);
  });

  test("an embedding", async () => {
    const wish = { model: "vllm", input: ["Hello"], encoding_format: "float" };
    expect(await client.call("litellm.embedding", ...at(wish))).toEqual([0.5, -0.25, 1]);
  });

  test("errors of the model, of the key and of the endpoint are raised with their sentences", async () => {
    const outcome = (model: string, endpoint = generator, key = TEST_KEY): Promise<unknown> =>
      client.outcome("litellm.completion", ...at({ model, messages: MESSAGES }, endpoint, key));
    expect(await outcome("missing")).toMatchObject({ raised: "NotFoundError", status: 404 });
    const raised = (message: string) => ({
      raised: "BadRequestError",
      message: expect.stringContaining(message),
    });
    expect(await outcome("refused")).toMatchObject(raised("too long"));
    // LiteLLM looks at the type of an error before its status, and OpenAI's type is the same for these.
    expect(await outcome("vllm", generator, "wrong")).toMatchObject(raised("header is unknown"));
    expect(await outcome("vllm", "absent")).toMatchObject(raised("There is no endpoint absent"));
  });
});

describe("instructor, unmodified, with the OpenAI route as its base URL", () => {
  test("an answer that fits its model, by a call of a tool", async () => {
    const endpoint = await server.endpoint();
    const worker = await server.worker(endpoint);
    const asked = client.call("instructor.create", ...at({ model: "small", messages: MESSAGES }, endpoint));
    const { id, input } = (await worker.take()).json;
    const [tool] = input.openai_input.tools;
    expect(tool.function).toMatchObject({ name: "City", parameters: { required: ["name", "people"] } });
    const call = { name: "City", arguments: JSON.stringify({ name: "Köln", people: 1_087_353 }) };
    const message = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call-1", type: "function", function: call }],
    };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    await worker.done(id, {
      output: { id: "1", object: "chat.completion", created: 1, model: "small", choices },
    });
    expect(await asked).toEqual({ name: "Köln", people: 1_087_353 });
  });

  test("an error of the worker is raised once, and nothing is sent again", async () => {
    const before = (await server.get(`/v2/${generator}/health`)).json.jobs;
    const refused = await client.outcome(
      "instructor.create",
      ...at({ model: "refused", messages: MESSAGES }),
    );
    expect(refused).toMatchObject({
      raised: "InstructorRetryException",
      message: expect.stringContaining("too long"),
    });
    const after = (await server.get(`/v2/${generator}/health`)).json.jobs;
    expect(after.completed + after.failed).toBe(before.completed + before.failed + 1);
  });
});
