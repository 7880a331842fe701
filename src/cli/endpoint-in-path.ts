import { CommandFault } from "./command-fault.ts";

/** The id or name of an endpoint, as a path has it; the server knows which it is. Throws CommandFault. */
export function endpointInPath(text: string): string {
  // A URL resolves these.
  if (text === "." || text === "..") throw new CommandFault(`there is no endpoint ${text}.`);
  return encodeURIComponent(text);
}
