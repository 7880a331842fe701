import { pacedChunks } from "../load/paced-chunks.ts";

// The same chunks from the worker itself: `bun bench/peers/stream-server.ts port`.
Bun.serve({
  port: Number(process.argv[2]),
  idleTimeout: 120,
  fetch(request) {
    const query = new URL(request.url).searchParams;
    const [rate = 0, count = 0, within = 0] = ["rate", "count", "within"].map((name) =>
      Number(query.get(name)),
    );
    async function* events(): AsyncGenerator<string> {
      for await (const chunk of pacedChunks({ rate, count, within }))
        yield `data: ${JSON.stringify(chunk)}\n\n`;
    }
    return new Response(events(), { headers: { "content-type": "text/event-stream" } });
  },
});
console.log("ready");
