// Its jobs stream at the pace that they ask for: as objects, or as events for the OpenAI route. On Bun.
import { start } from "./library.mjs";
import { pacedChunks } from "./paced-chunks.ts";

console.log("ready");
await start({
  concurrency: 200,
  log_level: "error",
  handler: async function* ({ input }) {
    const { openai_input: asked } = input;
    for await (const chunk of pacedChunks(asked ?? input)) {
      yield asked === undefined ? chunk : `data: ${JSON.stringify(chunk)}\n\n`;
    }
  },
});
