import type { ForebayError } from "@forebay/worker/client";

/** What a user can do about an error, by its code, where the server's sentence does not say it. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  UNREACHABLE: "Start it with forebay serve, or say where it is: --server <address>, or FOREBAY_URL.",
  NOT_FOREBAY: "Say another address: --server <address>, or FOREBAY_URL.",
  KEY_UNKNOWN: "Say another one: --key <key>, or FOREBAY_KEY.",
  KEY_NOT_ALLOWED: "Say another one: --key <key>, or FOREBAY_KEY.",
  ENDPOINT_NOT_FOUND: "forebay endpoints list names those that there are.",
  JOB_NOT_FOUND: "forebay requests <endpoint> lists those that there are.",
  TEMPLATE_NOT_FOUND: "forebay templates list names those that there are.",
  WORKER_NOT_FOUND: "forebay workers list <endpoint> names those that there are.",
  RELEASE_NOT_FOUND: "forebay releases list <endpoint> names those that there are.",
};

/** What the user of a command is told when the server refused the call, or did not answer. */
export function callFault({ message, code }: ForebayError): string {
  const wayOut = WAYS_OUT[code];
  return wayOut === undefined ? message : `${message} ${wayOut}`;
}
