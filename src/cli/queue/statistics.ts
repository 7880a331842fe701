import type { AllStatisticsAnswer, StatisticsAnswer } from "../../http/answers/statistics.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { MORE, parseManageCall } from "../manage/manage-call.ts";
import { callServer, endpointInPath } from "../server-call.ts";
import { widthOf } from "../terminal/terminal-text.ts";
import { statisticsText, summariesText } from "./statistics-text.ts";

const FLAGS = {
  period: { type: "string", value: "<period>", help: "15m, 1h, 24h, 7d or 30d; default: 1h" },
} as const satisfies Flags;

/** Prints the state and the statistics of one endpoint, or of all. */
export const statistics: Command = {
  words: "[endpoint]",
  about: `
Prints the current figures of an endpoint, and its statistics. Without an
endpoint it prints a line for each: waiting, running and ended jobs, and the
95th percentiles.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay statistics", "forebay statistics hello --period 7d"],
  async run(args) {
    const { access, rest, isJson, text } = parseManageCall(args, MORE, FLAGS);
    const [endpoint, ...more] = rest;
    if (more.length > 0)
      throw new CommandFault(`unexpected argument ${JSON.stringify(more[0])}. See --help.`);
    const query = `statistics?period=${encodeURIComponent(text("period") ?? "1h")}`;
    const width = widthOf(process.stdout);
    if (endpoint === undefined) {
      const answer = await callServer<AllStatisticsAnswer>(access, `/v1/${query}`, '{"period":');
      console.log(isJson ? JSON.stringify(answer) : summariesText(answer.endpoints, width));
      return;
    }
    const path = `/v1/endpoints/${endpointInPath(endpoint)}/${query}`;
    const answer = await callServer<StatisticsAnswer>(access, path, '{"endpointId":');
    console.log(isJson ? JSON.stringify(answer) : statisticsText(answer, width));
  },
};
