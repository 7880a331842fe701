// OpenAI's client on Node: a call on each line of the standard input, an answer on each of the output. Arguments: base
// address, key.
import { createInterface } from "node:readline";
import OpenAI from "openai";

const [baseURL, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey });
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  try {
    answer({ returned: await call(name, args) });
  } catch (error) {
    const { status, message, error: told } = error;
    answer({ raised: error.constructor.name, status, message: told?.message ?? message });
  }
}

function answer(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function call(name, args) {
  const path = name.split(".");
  const method = path.pop();
  const resource = path.reduce((at, member) => at[member], client);
  const result = await resource[method](...args);
  const isMany = args.at(-1)?.stream === true || method === "list";
  if (!isMany) return { ...result, _request_id: result._request_id };
  const all = [];
  for await (const one of result) all.push(one);
  return all;
}
