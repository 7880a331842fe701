/** A connection that has shown no key. */
export interface Keyless {
  readonly descriptor: number;
  /** Connections from one network are counted together. */
  readonly network: string;
  /** When it was seen first, ms of a clock that never goes back. */
  readonly since: number;
}

export interface KeylessLimits {
  /** How many connections there are above the limit of the server. */
  readonly excess: number;
  /** How many connections without a key one network may have. */
  readonly perNetwork: number;
}

/**
 * The connections to close: first those above the limit of their network, then those above the limit of the
 * server, from the network with the most. In a network, the oldest connections are closed first.
 */
export function chooseConnections(
  keyless: readonly Keyless[],
  { excess, perNetwork }: KeylessLimits,
): Keyless[] {
  const networks = [...Map.groupBy(keyless, ({ network }) => network).values()].map((connections) =>
    connections.toSorted((a, b) => a.since - b.since),
  );
  const chosen = networks.flatMap((connections) =>
    connections.splice(0, Math.max(0, connections.length - perNetwork)),
  );
  while (chosen.length < excess) {
    const largest = networks.reduce((most, next) => (next.length > most.length ? next : most), []);
    const next = largest.shift();
    if (next === undefined) break;
    chosen.push(next);
  }
  return chosen;
}

/** An IPv6 customer has a network of 64 bits; an IPv4 network is one address. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [before = [], after = []] = address.split("::").map((half) => half.split(":").filter(Boolean));
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0");
  return [...before, ...zeros, ...after].slice(0, 4).join(":");
}
