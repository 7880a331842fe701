import { promises } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { Clock } from "../domain/clock.ts";
import { errorCode } from "../domain/errors.ts";
import { ReceiverFault } from "./receiver.ts";

/**
 * Resolves a name to its addresses. Throws ReceiverFault if it has none, and the signal's reason if it
 * aborts.
 */
export type Lookup = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

interface NameSources {
  readonly clock: Clock;
  /** As `address:port`; undefined: those of the system. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/** A silent name server is asked again after this, ms. Each retry waits longer. */
const QUERY_TIME = 1_000;
const TRIES = 4;
/** If one address family has answered, how long to wait for the other, ms. */
const OTHER_FAMILY_TIME = 500;

/**
 * Resolves names by the hosts file and then by DNS, A and AAAA at once. Search domains are not used. The
 * system's getaddrinfo is not used either: it has a few threads, and a handful of names without an answer
 * would block all others.
 */
export function lookupName({ clock, servers, hostsFile = "/etc/hosts" }: NameSources): Lookup {
  return async (name, signal) => {
    const listed = await hostsEntries(hostsFile, name);
    if (listed.length > 0) return listed;
    // Creating one takes 14 µs, and it uses the current name servers.
    const resolver = new promises.Resolver({ timeout: QUERY_TIME, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.throwIfAborted();
    signal.addEventListener("abort", cancel, { once: true });
    const { addresses, codes } = await gathered([resolver.resolve4(name), resolver.resolve6(name)], clock);
    signal.removeEventListener("abort", cancel);
    cancel();
    signal.throwIfAborted();
    if (addresses.length > 0) return addresses;
    throw new ReceiverFault(codes.every(isNoAddress) ? noAddress(name) : notLookedUp(name, codes));
  };
}

/** Also for a name that has only private addresses: clients must not learn what exists inside. */
export function noAddress(name: string): string {
  return `${name} has no public address. To allow private ones, set FOREBAY_WEBHOOK_ALLOW.`;
}

function notLookedUp(name: string, codes: readonly string[]): string {
  return `${name} could not be looked up (${[...new Set(codes)].join(", ")}).`;
}

interface Gathered {
  /** The two families in turn, so that the first few addresses have both. */
  readonly addresses: readonly string[];
  /** The error codes of the queries that failed. */
  readonly codes: readonly string[];
}

/** Waits for all queries. Once one has found something, the others get OTHER_FAMILY_TIME. */
async function gathered(queries: readonly Promise<string[]>[], clock: Clock): Promise<Gathered> {
  const found: string[][] = queries.map(() => []);
  const codes: string[] = [];
  const enough = Promise.withResolvers<void>();
  let forget: (() => void) | undefined;
  const answered = queries.map(async (query, index) => {
    try {
      const addresses = await query;
      found[index] = addresses;
      if (addresses.length > 0) forget ??= clock.after(OTHER_FAMILY_TIME, enough.resolve);
    } catch (error) {
      if (errorCode(error) === "") throw error;
      codes.push(errorCode(error));
    }
  });
  await Promise.race([Promise.all(answered), enough.promise]);
  forget?.();
  const longest = Math.max(...found.map((addresses) => addresses.length));
  const turns = Array.from({ length: longest }, (_, turn) => found.map((addresses) => addresses[turn]));
  return { addresses: turns.flat().filter((address) => address !== undefined), codes };
}

function isNoAddress(code: string): boolean {
  return code === "ENOTFOUND" || code === "ENODATA";
}

/**
 * The addresses of a name in a hosts file; none if there is no file. Its lines are `address name name #
 * comment`. Case and a dot at the end of a name do not matter.
 */
async function hostsEntries(file: string, name: string): Promise<string[]> {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  return (await textOf(file)).split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((other) => other.toLowerCase() === wanted) ? [address] : [];
  });
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "") throw error;
    return "";
  }
}
