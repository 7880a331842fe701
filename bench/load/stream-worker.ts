import { start } from "@forebay/worker";
import { pacedChunks, type Pace } from "./paced-chunks.ts";

// Its jobs stream at the pace that they ask for: as objects, or as events for the OpenAI route.
interface Input extends Pace {
  readonly openai_input?: Pace;
}

console.log("ready");
await start({
  concurrency: 200,
  log_level: "error",
  handler: async function* ({ input }: { input: Input }) {
    const { openai_input: asked } = input;
    for await (const chunk of pacedChunks(asked ?? input)) {
      yield asked === undefined ? chunk : `data: ${JSON.stringify(chunk)}\n\n`;
    }
  },
});
