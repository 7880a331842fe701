import { Forebay, type ForebayError } from "@forebay/worker/client";
import { CommandFault } from "./command-fault.ts";
import type { ServerAccess } from "./server-access.ts";
import { durationText } from "./terminal/duration-text.ts";
import { tell } from "./terminal/tell.ts";

/**
 * The server as its client. A call that it does not take now (429, 503) is made again for 15 s, with growing
 * pauses that a terminal is told of; where nobody answers it fails at once: a person can say it again. What
 * waits for a job is more patient (wait-for-end.ts). Throws CommandFault when the address is none.
 */
export function connect({ server: url, key }: ServerAccess): Forebay {
  try {
    return new Forebay({ url, key, patienceAway: 0, onRepeat });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandFault(`${error.message} Say another one: --server <address>, or FOREBAY_URL.`);
  }
}

function onRepeat({ message }: ForebayError, wait: number): void {
  if (process.stderr.isTTY) tell(`${message} Trying again in ${durationText(wait)}.`);
}
