import { parseArgs } from "node:util";
import { ForebayError } from "@forebay/worker/client";
import { OperatorFault } from "../domain/operator-fault.ts";
import type { EndpointAnswer } from "../http/answers/endpoint.ts";
import { CommandFault } from "./command-fault.ts";
import type { Flags } from "./command.ts";
import { didYouMean } from "./nearest.ts";
import { callServer, serverAccess } from "./server-call.ts";
import { systemSentence } from "./system-sentence.ts";

/** The message for a fault that the user can fix. Throws any other one. */
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

/** What a user can do about an error, by code, if the server's message does not say it. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  UNREACHABLE: "Start it with forebay serve, or give its address: --server <address>, or FOREBAY_URL.",
  NOT_FOREBAY: "Use another address: --server <address>, or FOREBAY_URL.",
  KEY_UNKNOWN: "Use another key: --key <key>, or FOREBAY_KEY.",
  KEY_NOT_ALLOWED: "Use another key: --key <key>, or FOREBAY_KEY.",
  ENDPOINT_NOT_FOUND: "forebay endpoints list shows all endpoints.",
  JOB_NOT_FOUND: "forebay requests <endpoint> lists its jobs.",
  TEMPLATE_NOT_FOUND: "forebay templates list shows all templates.",
  WORKER_NOT_FOUND: "forebay workers list <endpoint> shows its workers.",
  RELEASE_NOT_FOUND: "forebay releases list <endpoint> shows its releases.",
};

/** The message for a call that the server refused or did not answer. */
export function callFault({ message, code }: ForebayError): string {
  const wayOut = WAYS_OUT[code];
  return wayOut === undefined ? message : `${message} ${wayOut}`;
}

/**
 * Endpoints whose name or id is near an unknown one, as a sentence; undefined if the key may not see the
 * endpoints, or none is near.
 */
export async function nearEndpoints(args: string[], flags: Flags): Promise<string | undefined> {
  const { values, positionals } = parseArgs({ args, options: flags, strict: false });
  const textOf = (flag: string): string | undefined => {
    const value = values[flag];
    return typeof value === "string" ? value : undefined;
  };
  const given = textOf("endpoint") ?? positionals[0] ?? "";
  const known = await endpointsOf({ server: textOf("server"), key: textOf("key") });
  const near = didYouMean(given, [...new Set(known.flatMap(({ id, name }) => [id, name]))]);
  return near === "" ? undefined : near.trim();
}

async function endpointsOf(flags: Parameters<typeof serverAccess>[0]): Promise<EndpointAnswer[]> {
  try {
    return await callServer<EndpointAnswer[]>(serverAccess(flags), "/v1/endpoints", "[");
  } catch (error) {
    if (error instanceof ForebayError) return [];
    throw error;
  }
}
