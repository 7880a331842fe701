// Stand-ins for model servers, as a page's reader has them: Ollama at 11434, one with the API of OpenAI at
// 8080, ComfyUI at 8188.
import { createServer } from "node:http";

const ANSWERS = {
  "/api/version": () => ({ version: "0.12.0" }),
  "/health": () => ({}),
  "/api/generate": ({ prompt }) => ({ response: `You wrote: ${prompt}` }),
  "/v1/chat/completions": ({ messages: [{ content }] }) => ({
    choices: [{ message: { role: "assistant", content: `You wrote: ${content}` } }],
  }),
  "/prompt": () => ({ prompt_id: "p1" }),
  "/history/p1": () => ({
    p1: { status: { status_str: "success", completed: true }, outputs: { 9: { images: [] } } },
  }),
};

async function answer(request, response) {
  const body = (await request.toArray()).join("") || "{}";
  const of = ANSWERS[request.url];
  if (of === undefined) return void response.writeHead(404).end();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(of(JSON.parse(body))));
}

const ports = [11434, 8080, 8188];
let open = 0;
for (const port of ports) {
  createServer((request, response) => void answer(request, response)).listen(port, "127.0.0.1", () => {
    if (++open === ports.length) process.stdout.write("ready\n");
  });
}
