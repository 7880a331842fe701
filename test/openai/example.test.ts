import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createHash } from "node:crypto";
import { join } from "node:path";
import OpenAI from "openai";
import { train } from "../../examples/openai-worker/training/training.ts";
import { DevProject, type DevProcess } from "../support/dev-process.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";

setDefaultTimeout(60_000);

const WORKER = join(import.meta.dir, "../../examples/openai-worker/worker.ts");
const MODEL = "pond-147k";
const QUESTION = [{ role: "user" as const, content: "What is a forebay?" }];
const ANSWER = "A forebay is the pool that holds water before it runs to the turbines.";
/** SHA-256 of the weights after three steps of the training that made those of the example. */
const FIRST_STEPS = "2007cb42f5a36f50823fe27c7d26f00af5de8b57fd64295fcc290beff308c6dd";
const STORY = { model: MODEL, prompt: "Once upon a time", max_tokens: 60 };

const clientOf = (url: string, endpoint: string): OpenAI =>
  new OpenAI({ baseURL: `${url}/v2/${endpoint}/openai/v1`, apiKey: TEST_KEY });

describe("examples/openai-worker by `forebay dev`, asked by the client of npm", () => {
  const project = new DevProject();
  let dev: DevProcess;
  let client: OpenAI;
  beforeAll(async () => {
    dev = await project.dev([WORKER]).ready();
    client = clientOf(dev.url, "worker");
  });
  afterAll(async () => {
    await dev.stop();
    project.end();
  });

  async function textOf(wish: Partial<OpenAI.CompletionCreateParamsNonStreaming>): Promise<string> {
    const { choices } = await client.completions.create({ ...STORY, ...wish });
    return choices[0]?.text ?? "";
  }

  test("models, and one by its name", async () => {
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([MODEL]);
    expect(await client.models.retrieve(MODEL)).toMatchObject({ id: MODEL, object: "model" });
    expect(await raised(client.models.retrieve("team/other"))).toMatchObject({ status: 404 });
  });

  test("a chat answers what it was trained on, and counts its tokens", async () => {
    const answer = await client.chat.completions.create({ model: MODEL, messages: QUESTION, temperature: 0 });
    expect(answer.choices).toMatchObject([{ message: { content: ANSWER }, finish_reason: "stop" }]);
    const { usage } = answer;
    expect(usage?.prompt_tokens).toBeGreaterThan(5);
    expect(usage?.completion_tokens).toBeGreaterThan(10);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  test("a chat streamed is the same, a piece for each token, and the usage last", async () => {
    const wish = { model: MODEL, messages: QUESTION, temperature: 0 };
    const { usage } = await client.chat.completions.create(wish);
    const asked = { ...wish, stream: true as const, stream_options: { include_usage: true } };
    const chunks = await Array.fromAsync(await client.chat.completions.create(asked));
    const last = chunks.pop();
    expect(last).toMatchObject({ choices: [], usage: usage ?? {} });
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? "");
    expect(pieces.join("")).toBe(ANSWER);
    expect(pieces.length).toBeGreaterThan(10);
    const ends = chunks.map(({ choices }) => choices[0]?.finish_reason);
    expect(ends.filter((end) => end !== null)).toEqual(["stop"]);
    expect(ends.at(-1)).toBe("stop");
  });

  test("a completion goes on until max_tokens, and is short without it", async () => {
    // Without a temperature the words are drawn at random, and the story can end at once.
    const likeliest = { ...STORY, temperature: 0 };
    const { choices, usage } = await client.completions.create({ ...likeliest, max_tokens: 7 });
    expect([choices[0]?.finish_reason, usage?.completion_tokens]).toEqual(["length", 7]);
    const { max_tokens, ...short } = likeliest;
    expect(max_tokens).toBeGreaterThan(16);
    expect((await client.completions.create(short)).usage?.completion_tokens).toBe(16);
  });

  test("stop ends the text before it, streamed too, where it is spread over tokens", async () => {
    const wish = { temperature: 0, stop: ["lived in", "nothing"] };
    const whole = await textOf({ temperature: 0 });
    expect(whole).toContain("lived in");
    const stopped = await client.completions.create({ ...STORY, ...wish });
    const expected = whole.slice(0, whole.indexOf("lived in"));
    expect(stopped.choices).toMatchObject([{ text: expected, finish_reason: "stop" }]);
    const chunks = await client.completions.create({ ...STORY, ...wish, stream: true });
    const texts = (await Array.fromAsync(chunks)).map(({ choices }) => choices[0]?.text);
    expect(texts.join("")).toBe(expected);
  });

  test("a seed gives the same text again, another one another; top_p and temperature narrow it", async () => {
    const texts = await Promise.all([1, 1, 2, 3, 4].map((seed) => textOf({ seed })));
    expect(texts[0]).toBe(texts[1] ?? "");
    expect(new Set(texts).size).toBeGreaterThan(2);
    const likeliest = await textOf({ temperature: 0 });
    expect(await textOf({ seed: 5, top_p: 0 })).toBe(likeliest);
    expect(await textOf({ seed: 6, temperature: 0.001 })).toBe(likeliest);
  });

  test("embeddings are vectors of length 1, nearer where texts are alike", async () => {
    const input = ["3 plus 4 is 7.", "8 plus 1 is 9.", "The capital of France is Paris."];
    const { data, usage } = await client.embeddings.create({ model: MODEL, input });
    const [sum, otherSum, city] = data.map(({ embedding }) => embedding);
    expect(sum).toHaveLength(64);
    expect(likeness(sum, sum)).toBeCloseTo(1, 5);
    expect(likeness(sum, otherSum)).toBeGreaterThan(likeness(sum, city) + 0.2);
    expect(usage.prompt_tokens).toBeGreaterThan(10);
    const floats = await client.embeddings.create({ model: MODEL, input, encoding_format: "float" });
    expect(floats.data[0]?.embedding).toEqual(sum ?? []);
  });

  test("an unknown model is 404, and what the model cannot do 400, in the shape of OpenAI", async () => {
    const chat = (wish: object): Promise<unknown> =>
      raised(client.chat.completions.create({ model: MODEL, messages: QUESTION, ...wish }));
    expect(await chat({ model: "gpt" })).toMatchObject({
      name: "Error",
      status: 404,
      error: { message: expect.stringContaining("`gpt`"), type: "NotFoundError", param: "model", code: 404 },
    });
    for (const [param, value] of Object.entries({
      temperature: 3,
      max_tokens: 0,
      n: 2,
      messages: [],
      stop: ["1", "2", "3", "4", "5"],
      tools: [{ type: "function", function: { name: "weather" } }],
      anything: true,
    })) {
      for (const stream of [false, true]) {
        expect(await chat({ [param]: value, stream })).toMatchObject({ status: 400, error: { param } });
      }
    }
    for (const length of [600, 1_000_000]) {
      const messages = [{ role: "user", content: "x".repeat(length) }];
      expect(await chat({ messages })).toMatchObject({ status: 400, error: { param: "messages" } });
    }
    expect(await chat({ n: 1, tools: [], presence_penalty: 0, stop: null, user: "me" })).toBeUndefined();
  });

  const raised = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => undefined,
      (error: unknown) => error,
    );
});

test("examples/openai-worker as a command of the operator: process/pond", async () => {
  const server = await ServerProcess.start({ commands: { pond: [process.execPath, WORKER] } });
  try {
    const image = { name: "pond", imageName: "process/pond" };
    const template = (await server.post("/v1/templates", image)).json;
    const made = { name: "pond", templateId: template.id, workersMax: 1 };
    const { id } = (await server.post("/v1/endpoints", made)).json;
    const wish = { model: MODEL, messages: QUESTION, temperature: 0 };
    const { choices } = await clientOf(server.url, id).chat.completions.create(wish);
    expect(choices[0]?.message.content).toBe(ANSWER);
    // For callers who do not wait: the same call as a job.
    const input = { openai_route: "/v1/chat/completions", openai_input: wish };
    const { output } = (await server.post(`/v2/${id}/runsync`, { input })).json;
    expect(output).toMatchObject([{ choices: [{ message: { content: ANSWER } }] }]);
  } finally {
    await server.stop();
  }
});

test("training is repeatable: its first steps give these weights on every machine", () => {
  const { weights } = train(8, 1_500, { until: 3 });
  expect(createHash("sha256").update(weights).digest("hex")).toBe(FIRST_STEPS);
});

function likeness(left: readonly number[] = [], right: readonly number[] = []): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
}
