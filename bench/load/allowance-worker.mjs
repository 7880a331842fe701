// Answers jobs at once; those that ask to fail do.
import { start } from "./library.mjs";

console.log("ready");
await start({
  concurrency: 64,
  log_level: "error",
  handler: ({ input }) => {
    if (input.fail === true) throw new Error("this job was asked to fail");
    return { text: "y".repeat(100) };
  },
});
