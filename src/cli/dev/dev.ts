import { CommandFault } from "../command-fault.ts";
import type { Command } from "../command.ts";
import { serverText } from "../server-call.ts";
import { DEV_FLAGS, devFlags, type ReplayFlags } from "./dev-flags.ts";
import { findHandler } from "./find-handler.ts";
import { readInput } from "./read-input.ts";
import { runOnce } from "./run-once.ts";
import { serveHandler } from "./serve-handler.ts";

/**
 * Serves one handler with its own server, endpoint and worker. With `--input` or `--replay` it runs one job.
 */
export const dev: Command = {
  words: "<handler file>",
  about: "Serves one handler in a terminal, and reloads it when it is saved.",
  flags: DEV_FLAGS,
  examples: ["forebay dev handler.ts", `forebay dev handler.py --input '{"name": "Ada"}'`],
  async run(args) {
    const { file, port, input, replay } = devFlags(args);
    const handler = findHandler(file);
    if (input !== undefined && replay !== undefined) {
      throw new CommandFault("--input and --replay both give an input. Leave one out.");
    }
    if (replay !== undefined) process.exit(await runOnce(handler, await fetchInput(replay), port));
    if (input !== undefined) process.exit(await runOnce(handler, await readInput(input), port));
    process.exit(await serveHandler(handler, port));
  },
};

/** The input of a job of a running server, as JSON. Throws CommandFault. */
export function fetchInput(replay: ReplayFlags): Promise<string> {
  return serverText(replay, `/v1/endpoints/${replay.endpoint}/jobs/${replay.job}/input`);
}
