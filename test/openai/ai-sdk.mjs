// The Vercel AI SDK with the public provider on Node: a call on each line of the standard input, an outcome on each of
// the output, beside the addresses that are asked. Arguments: base address, key, and how long a runsync waits, ms.
import { createInterface } from "node:readline";
import { createRunpod } from "@runpod/ai-sdk-provider";
import { generateImage, generateText, jsonSchema, streamText } from "ai";

const [baseURL, apiKey, wait] = process.argv.slice(2);
const provider = createRunpod({ baseURL, apiKey, fetch: asked });

function asked(url, init) {
  process.stdout.write(`asks ${url.slice(baseURL.length)}\n`);
  return fetch(url.endsWith("/runsync") && wait ? `${url}?wait=${wait}` : url, init);
}

const CALLS = {
  async generateText(wish) {
    const { text, toolCalls, finishReason, usage } = await generateText(settings(wish));
    return { text, toolCalls, finishReason, usage };
  },
  async streamText(wish) {
    let raised;
    const result = streamText({ ...settings(wish), onError: ({ error }) => (raised = error) });
    const pieces = [];
    for await (const piece of result.textStream) pieces.push(piece);
    if (raised !== undefined) throw raised;
    return { pieces, toolCalls: await result.toolCalls };
  },
  async generateImage({ model, ...wish }) {
    const { image } = await generateImage({ model: provider.image(model), ...wish });
    return image.base64;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, wish] = JSON.parse(line);
  try {
    answer({ returned: await CALLS[name](wish) });
  } catch (error) {
    answer({ raised: error.name ?? typeof error, status: error.statusCode, message: error.message ?? error });
  }
}

function answer(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function settings({ model, tools = {}, ...wish }) {
  const withSchemas = Object.entries(tools).map(([name, { inputSchema, ...tool }]) => [
    name,
    { ...tool, inputSchema: jsonSchema(inputSchema) },
  ]);
  return { model: provider(model), tools: Object.fromEntries(withSchemas), ...wish };
}
