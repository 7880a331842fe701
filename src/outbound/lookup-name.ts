import { promises } from "node:dns";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import type { Clock } from "../domain/clock.ts";
import { errorCode } from "../domain/errors.ts";
import { ReceiverFault } from "./receiver.ts";

/**
 * The addresses of a name. Throws ReceiverFault when there are none, and the signal's reason when it
 * fires.
 */
export type Lookup = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

interface NameSources {
  readonly clock: Clock;
  /** As `address:port`; undefined: those of the system. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/** A name server that is silent for so long is asked again, ms; each time it has longer. */
const QUERY_TIME = 1_000;
const TRIES = 4;
/** When there are addresses of one family, those of the other are waited for so long, ms. */
const OTHER_FAMILY_TIME = 500;

/**
 * Looks names up in the hosts file, and then by DNS, A and AAAA at once. A name is what it is in DNS:
 * search domains are not tried. The system's getaddrinfo is not asked: it has a few threads, which a
 * handful of names that nobody answers for would take from all others.
 */
export function lookupName({ clock, servers, hostsFile = "/etc/hosts" }: NameSources): Lookup {
  return async (name, signal) => {
    const listed = await hostsEntries(hostsFile, name);
    if (listed.length > 0) return listed;
    // A new one each time takes 14 µs, and knows the name servers of this moment.
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

/** The same for a name that has only addresses inside: what there is inside is for nobody to find out. */
export function noAddress(name: string): string {
  return `${name} has no address of the internet; only FOREBAY_WEBHOOK_ALLOW can permit others.`;
}

function notLookedUp(name: string, codes: readonly string[]): string {
  return `${name} could not be looked up (${[...new Set(codes)].join(", ")}).`;
}

interface Gathered {
  /** The families in turn, so that the first few are of both. */
  readonly addresses: readonly string[];
  /** Of the queries that failed. */
  readonly codes: readonly string[];
}

/** Waits for all queries; but when one has found something not for long for the others. */
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
 * The addresses that a hosts file gives a name; none without the file. Its lines are
 * `address name name # comment`; names are compared without case and without a dot at the end.
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
