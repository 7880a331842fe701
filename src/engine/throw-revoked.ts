import { ForebayError } from "../domain/errors.ts";

/** A call is held no longer because its key is not good any more. A caller that has gone is told nothing. */
export function throwRevoked({ reason }: AbortSignal): void {
  if (reason instanceof ForebayError) throw reason;
}
