// The public JavaScript SDK as a client on Node: a call on each line of the standard input, an answer on each of the
// output. Arguments: package of the SDK, base address, key, endpoint.
import { createInterface } from "node:readline";

const [sdk, baseUrl, key, id] = process.argv.slice(2);
const { default: runpodSdk } = await import(sdk);
const endpoint = runpodSdk(key, { baseUrl }).endpoint(id);
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...args] = JSON.parse(line);
  try {
    answer({ returned: await call(name, args) });
  } catch (error) {
    answer({ raised: error.message, data: error.response?.data });
  }
}

function answer(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function call(name, args) {
  const result = endpoint[name](...args);
  if (name !== "stream") return result;
  const chunks = [];
  for await (const chunk of result) chunks.push(chunk);
  return chunks;
}
