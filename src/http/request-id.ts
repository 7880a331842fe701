import type { Log } from "../domain/log.ts";

/** The header by which a request is found again in logs, here and at who sent it. */
export const REQUEST_ID = "x-request-id";

/** What may stand in a line of a log. */
const VALID = /^[\w.:/+=@-]{1,128}$/;

/** The id that the request came with, if it is a sensible one, or else a new one. It opens nothing. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get(REQUEST_ID);
  return given !== null && VALID.test(given) ? given : crypto.randomUUID();
}

/** The log, with the id of the request in each line. */
export function requestLog(log: Log, requestId: string): Log {
  return {
    info: (message, fields) => log.info(message, { ...fields, requestId }),
    warn: (message, fields) => log.warn(message, { ...fields, requestId }),
    error: (message, fields) => log.error(message, { ...fields, requestId }),
  };
}
