import { pacedChunks } from "../load/paced-chunks.ts";

// The same chunks from the worker itself: `bun bench/peers/stream-server.ts port`.
Bun.serve({
  port: Number(process.argv[2]),
  idleTimeout: 120,
  fetch(request) {
    const query = new URL(request.url).searchParams;
    const pace = { rate: Number(query.get("rate")), count: Number(query.get("count")) };
    async function* events(): AsyncGenerator<string> {
      for await (const chunk of pacedChunks(pace)) yield `data: ${JSON.stringify(chunk)}\n\n`;
    }
    return new Response(events(), { headers: { "content-type": "text/event-stream" } });
  },
});
console.log("ready");
