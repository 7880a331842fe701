import type { Endpoint } from "@forebay/worker/client";
import type { Flags } from "../command.ts";
import { connect } from "../connect.ts";
import { checkedId, type ManageCall, MORE, parseManageCall } from "../manage/manage-call.ts";
import { endpointInPath } from "../endpoint-in-path.ts";

export interface QueueCall extends Omit<ManageCall, "word" | "words"> {
  readonly endpoint: Endpoint;
  /** Id of the job; empty for commands that take none. */
  readonly job: string;
}

export type Word = "endpoint" | "job" | "input";

/**
 * Reads the arguments of a command of the queue: its words in their order (`input` is any number of them) and
 * its flags. Throws CommandFault.
 */
export function parseQueueCall(args: string[], words: readonly Word[], flags: Flags = {}): QueueCall {
  const named = words.map((word) =>
    word === "input" ? MORE : word === "endpoint" ? "id or name of the endpoint" : `id of the ${word}`,
  );
  const call = parseManageCall(args, named, flags);
  const [endpoint = "", job = ""] = call.words;
  // Refuses what can be no path.
  endpointInPath(endpoint);
  if (words.includes("job")) checkedId("a job", job);
  return { ...call, endpoint: connect(call.access).endpoint(endpoint), job };
}
