import * as serverless from "@forebay/worker";
import { z } from "zod";

const input = z.object({ text: z.string().min(1), top: z.int().min(1).max(100).default(3) });
const output = z.object({ words: z.int(), most: z.array(z.object({ word: z.string(), count: z.int() })) });

await serverless.start({
  input,
  output,
  handler({ input: { text, top } }, { log }) {
    const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
    log.info("counting", { words: words.length });
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const sorted = [...counts].sort(([, a], [, b]) => b - a);
    return { words: words.length, most: sorted.slice(0, top).map(([word, count]) => ({ word, count })) };
  },
});
