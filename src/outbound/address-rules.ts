import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { type Network, parseNetwork } from "./network.ts";
import { GLOBAL_UNICAST, SPECIAL_NETWORKS } from "./special-networks.ts";

/** Why an address must not be called, such as "a private network"; undefined: it may be called. */
export type AddressRules = (address: string) => string | undefined;

/**
 * Networks on the list may be called. Of all other addresses, those of the internet that no interface of this
 * machine (`own`) has may be called.
 */
export function addressRules(
  allow: readonly Network[],
  own: () => readonly string[] = ownAddresses,
): AddressRules {
  const special = SPECIAL_NETWORKS.map(([text, what]) => ({ network: parseNetwork(text), what }));
  const global = parseNetwork(GLOBAL_UNICAST);
  return (address) => {
    // A zone, as in fe80::1%eth0, names an interface of this machine.
    if (isIP(address) === 0 || address.includes("%")) return "not an address";
    if (allow.some((network) => network.contains(address))) return undefined;
    const known = special.find(({ network }) => network.contains(address));
    if (known !== undefined) return known.what;
    if (isIP(address) === 6 && !global.contains(address)) return "reserved";
    const exactly = parseNetwork(address);
    return own().some((other) => exactly.contains(other)) ? "this machine" : undefined;
  };
}

/** Read for each call, because interfaces come and go. It takes 40 µs. */
function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address }) => address),
  );
}
