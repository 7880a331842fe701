import type { Socket } from "node:net";
import type { Clock } from "../domain/clock.ts";
import { addressRules } from "./address-rules.ts";
import { dial } from "./dial.ts";
import { exchange } from "./exchange.ts";
import { type Lookup, lookupName, noAddress } from "./lookup-name.ts";
import type { Network } from "./network.ts";
import type { Outbound, OutboundRequest } from "./outbound.ts";
import { parseReceiver, type Receiver, ReceiverFault } from "./receiver.ts";
import { requestHead } from "./request-head.ts";

export interface OutboundOptions {
  readonly clock: Clock;
  /** Networks that may be called although they are not the internet. */
  readonly allow: readonly Network[];
  /** The version of Forebay, for the `User-Agent` forebay/version. */
  readonly version: string;
  /** Resolves names; undefined: by the hosts file and the name servers of the system. */
  readonly lookup?: Lookup;
  /** Certificates (PEM) that are trusted instead of those of the runtime. */
  readonly authorities?: readonly string[];
}

/** How many addresses of a name are tried. */
const ADDRESSES_TRIED = 4;

/**
 * Each call opens its own connection to an address that was just checked, and closes it after the answer.
 * Proxies in the environment are not used, because they would resolve names themselves.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const { clock } = options;
  const rules = addressRules(options.allow);
  const lookup = options.lookup ?? lookupName({ clock });

  return {
    refusal(url) {
      try {
        const receiver = parseReceiver(url);
        const addresses = knownAddresses(receiver);
        if (addresses !== undefined) permitted(receiver, addresses);
        return undefined;
      } catch (error) {
        if (error instanceof ReceiverFault) return error.message;
        throw error;
      }
    },
    async post(request) {
      try {
        return { kind: "answered", status: await send(request) };
      } catch (error) {
        if (error instanceof ReceiverFault) return { kind: "failed", reason: error.message };
        throw error;
      }
    },
  };

  async function send({ url, headers, body, timeout }: OutboundRequest): Promise<number> {
    const receiver = parseReceiver(url);
    const head = requestHead(receiver, headers, body.byteLength, `forebay/${options.version}`);
    const end = clock.now() + timeout;
    const fault = new ReceiverFault(`There was no answer within ${timeout / 1_000} s.`);
    return withTimeLimit(clock, timeout, fault, async (signal) => {
      const addresses = knownAddresses(receiver) ?? (await lookup(receiver.host, signal));
      const socket = await connectToOneOf(permitted(receiver, addresses), receiver, end, options);
      return exchange(socket, { head, body }, clock, signal);
    });
  }

  function permitted({ host, isAddress }: Receiver, addresses: readonly string[]): readonly string[] {
    const allowed = addresses.filter((address) => rules(address) === undefined);
    if (allowed.length > 0) return allowed.slice(0, ADDRESSES_TRIED);
    throw new ReceiverFault(isAddress ? notPermitted(host, rules(host)) : noAddress(host));
  }
}

/** Tries one address after the other. Each gets a share of the time that is left until `end`. */
async function connectToOneOf(
  addresses: readonly string[],
  receiver: Receiver,
  end: number,
  { clock, authorities }: OutboundOptions,
): Promise<Socket> {
  const silent = new ReceiverFault("The receiver did not accept the connection in time.");
  let fault: unknown;
  for (const [index, address] of addresses.entries()) {
    const share = Math.ceil((end - clock.now()) / (addresses.length - index));
    try {
      return await withTimeLimit(clock, share, silent, (signal) =>
        dial(address, receiver, authorities, signal),
      );
    } catch (error) {
      if (!(error instanceof ReceiverFault)) throw error;
      fault = error;
    }
  }
  throw fault;
}

/**
 * The addresses of a host that is an address, or that always stands for this machine (RFC 6761, section 6.3).
 */
function knownAddresses({ host, isAddress }: Receiver): readonly string[] | undefined {
  if (isAddress) return [host];
  return /^(?:.*\.)?localhost\.?$/.test(host) ? ["127.0.0.1", "::1"] : undefined;
}

function notPermitted(address: string, what = "reserved"): string {
  return `${address} is not a public address (${what}). To allow it, set FOREBAY_WEBHOOK_ALLOW.`;
}

/**
 * Runs an action with a time limit of `ms` milliseconds. When the time is over, its signal aborts with the
 * fault, which the action then throws.
 */
async function withTimeLimit<Value>(
  clock: Clock,
  ms: number,
  fault: Error,
  action: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const forget = clock.after(Math.max(0, ms), () => controller.abort(fault));
  try {
    return await action(controller.signal);
  } finally {
    forget();
  }
}
