import { BlockList, isIP } from "node:net";
import { OperatorFault } from "../domain/operator-fault.ts";

/** A range of addresses, written as CIDR. */
export interface Network {
  /** As it was written. */
  readonly text: string;
  /** Whether an address, IPv4 or IPv6 as text, is in the network. Addresses of the other family never are. */
  contains(address: string): boolean;
}

/** Networks from a list such as `10.0.0.0/8,fd00::/8`; none from an empty text. Throws a sentence. */
export function parseNetworks(list: string): Network[] {
  return list.trim() === "" ? [] : list.split(",").map((text) => parseNetwork(text.trim()));
}

/** A network from `10.0.0.0/8`, `fd00::/8` or a single address. Throws a sentence. */
export function parseNetwork(text: string): Network {
  const [, address = "", bits] = /^([0-9a-fA-F:.]+)(?:\/([0-9]{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const width = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? width : Number(bits);
  if (version === 0 || prefix > width) {
    throw new OperatorFault("expected networks like 10.0.0.0/8,fd00::/8 or addresses, separated by commas");
  }
  const list = new BlockList();
  const family = version === 4 ? "ipv4" : "ipv6";
  list.addSubnet(address, prefix, family);
  return { text, contains: (other) => isIP(other) === version && list.check(other, family) };
}
