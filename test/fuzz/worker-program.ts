// A worker with the worker library: completes, fails, streams or tells its progress, as the job's id has it.
import * as serverless from "@forebay/worker";
import { CANARY } from "./canary.ts";

await serverless.start({
  handler: ({ id, input }, { progress }) => {
    if (input["canary"] === CANARY) return CANARY;
    const kind = Number.parseInt(id.slice(-5, -3), 16) % 5;
    if (kind === 0) throw new RangeError(`${id} fails – 二`);
    if (kind === 1) return [id, input, null, "😀"].values();
    if (kind === 2) progress({ id, done: 0.5 });
    return { id, input };
  },
  concurrency: 3,
  log_level: "error",
});
