import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { train } from "./training.ts";

// Makes the files of the model anew: `node bin/bun.mjs examples/openai-worker/training/train.ts [steps]`.
const SEED = 8;
const steps = Number(process.argv[2] ?? 1_500);
const begun = performance.now();

const { merges, weights } = train(SEED, steps, {
  tell(step, loss) {
    if (step % 50 !== 49) return;
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    console.log(`step ${step + 1} of ${steps}: ${loss.toFixed(3)} nats a token, ${seconds} s`);
  },
});

const model = join(import.meta.dirname, "../model");
writeFileSync(join(model, "weights.bin"), weights);
writeFileSync(join(model, "merges.json"), `${JSON.stringify(merges)}\n`);
