import { ForebayError } from "@forebay/worker/client";
import { OperatorFault } from "../domain/operator-fault.ts";
import type { Flags } from "./command.ts";
import { CommandFault } from "./command-fault.ts";
import { systemSentence } from "./system-sentence.ts";
import { nearEndpoints } from "./near-endpoints.ts";
import { callFault } from "./queue/call-fault.ts";

/** What to tell about a fault of a command that the user can mend; throws any other one. */
export async function faultSentence(error: unknown, args: string[], flags: Flags): Promise<string> {
  if (error instanceof ForebayError) {
    const isUnknown = error.code === "ENDPOINT_NOT_FOUND";
    const near = isUnknown ? await nearEndpoints(args, flags) : undefined;
    return near === undefined ? callFault(error) : `${error.message} ${near}`;
  }
  if (error instanceof CommandFault || error instanceof OperatorFault) return error.message;
  const sentence = systemSentence(error);
  if (sentence === undefined) throw error;
  return sentence;
}
