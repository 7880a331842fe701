// Yields as many small chunks as its job asks for, as fast as it may.
import { start } from "@forebay/worker";

console.log("ready");
await start({
  handler: async function* ({ input }) {
    for (let n = 0; n < input.chunks; n++) yield { n, text: "to be or not to be" };
  },
});
