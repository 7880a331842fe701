import { CLIENT_FLAGS, type Command } from "../command.ts";
import { parseQueueCall } from "./queue-call.ts";

/** Removes all jobs that wait. */
export const purge: Command = {
  words: "<endpoint>",
  about: `
Removes all jobs that wait. Those that run go on.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay purge hello"],
  async run(args) {
    const { endpoint, isJson } = parseQueueCall(args, ["endpoint"]);
    const result = await endpoint.purge();
    const jobs = result.removed === 1 ? "waiting job" : "waiting jobs";
    console.log(isJson ? JSON.stringify(result) : `${result.removed} ${jobs} removed`);
  },
};
