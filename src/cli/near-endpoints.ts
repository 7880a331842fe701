import { parseArgs } from "node:util";
import { ForebayError } from "@forebay/worker/client";
import type { Flags } from "./command.ts";
import { didYouMean } from "./nearest.ts";
import { serverAccess } from "./server-access.ts";
import { callServer } from "./server-call.ts";

/**
 * What may have been meant by an endpoint that there is not, as a sentence; undefined where the key may not
 * see the endpoints, or none is near.
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

interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
}

async function endpointsOf(flags: Parameters<typeof serverAccess>[0]): Promise<NamedEndpoint[]> {
  try {
    return await callServer<NamedEndpoint[]>(serverAccess(flags), "/v1/endpoints", "[");
  } catch (error) {
    if (error instanceof ForebayError) return [];
    throw error;
  }
}
