// Runs no-op jobs with Forebay's own worker library and says when it has run as many as it was told of. It is
// ended from outside, so that what it used can be read.
import { start } from "@forebay/worker";

const [jobs, concurrency = 64] = process.argv.slice(2).map(Number);
const output = { text: "y".repeat(100) };
let done = 0;
console.log("ready");
await start({
  concurrency,
  handler: async () => {
    if (++done === jobs) console.log("done");
    return output;
  },
});
