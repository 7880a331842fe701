import type { ReplayFlags } from "./dev-flags.ts";
import { serverText } from "../server-call.ts";

/** The input of a job of a running server, as JSON. Throws CommandFault. */
export function fetchInput(replay: ReplayFlags): Promise<string> {
  return serverText(replay, `/v1/endpoints/${replay.endpoint}/jobs/${replay.job}/input`);
}
