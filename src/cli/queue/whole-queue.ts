import { CLIENT_FLAGS, type Command } from "../command.ts";
import { nameValues } from "../terminal/print.ts";
import { parseQueueCall } from "./queue-call.ts";

/** Prints how many jobs and workers an endpoint has, by state. */
export const health: Command = {
  words: "<endpoint>",
  about: `
Prints how many jobs and workers the endpoint has, by state.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay health hello"],
  async run(args) {
    const { endpoint, isJson } = parseQueueCall(args, ["endpoint"]);
    const answer = await endpoint.health();
    if (isJson) {
      console.log(JSON.stringify(answer));
      return;
    }
    const { jobs, workers } = answer;
    console.log(
      nameValues(
        Object.entries({
          "jobs in queue": jobs.inQueue,
          "jobs in progress": jobs.inProgress,
          "jobs completed": jobs.completed,
          "jobs failed": jobs.failed,
          "jobs retried": jobs.retried,
          "workers running": workers.running,
          "workers idle": workers.idle,
          "workers initializing": workers.initializing,
          "workers throttled": workers.throttled,
          "workers unhealthy": workers.unhealthy,
        }).map(([name, count]) => [name, String(count)]),
      ),
    );
  },
};

/** Removes all waiting jobs. */
export const purge: Command = {
  words: "<endpoint>",
  about: `
Removes all waiting jobs. Running jobs continue.
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
