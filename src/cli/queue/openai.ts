import { CLIENT_FLAGS, type Command } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { MORE, parseManageCall } from "../manage/manage-call.ts";
import { endpointInPath, openOnServer } from "../server-call.ts";
import { shown } from "../terminal/terminal-text.ts";
import { readInput } from "./queue-call.ts";

/** How long an answer may take to begin, ms: the default TTL of a job. */
const LONGEST = 86_400_000;

/** Calls the OpenAI route of an endpoint, and prints the answer as it arrives. */
export const openai: Command = {
  words: "<endpoint> <route> [body]",
  about: `
Calls an OpenAI route of an endpoint and prints the answer as it arrives: a JSON
document, or the events of a stream. The body has the forms of the input of a
job. Without a body the call is a GET, such as that of models.
`,
  flags: CLIENT_FLAGS,
  examples: [
    "forebay openai chat models",
    "forebay openai chat chat/completions @request.json",
    `forebay openai chat completions model=small prompt=Once stream:=true`,
  ],
  async run(args) {
    const named = ["id or name of the endpoint", "route, such as chat/completions", MORE];
    const { access, words, rest } = parseManageCall(args, named);
    const [endpoint = "", route = ""] = words;
    if (!/^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/.test(route))
      throw new CommandFault(`${JSON.stringify(route)} is not a route. Use one such as chat/completions.`);
    const path = `/v2/${endpointInPath(endpoint)}/openai/v1/${route.replace(/^v1\//, "")}`;
    const body = rest.length === 0 ? undefined : await readInput(rest);
    const stopping = new AbortController();
    // The listener stays: the launcher sends the same signal a second time.
    process.on("SIGINT", () => stopping.abort());
    const decoder = new TextDecoder();
    const call = { path, body, hold: LONGEST, signal: stopping.signal };
    try {
      for await (const piece of await openOnServer(access, call)) {
        process.stdout.write(shown(decoder.decode(piece, { stream: true })));
      }
      if (process.stdout.isTTY) process.stdout.write("\n");
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
      process.exitCode = 130;
    }
  },
};
