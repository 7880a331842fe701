import { createOutbound, type OutboundOptions } from "../../src/outbound/create-outbound.ts";
import { lookupName } from "../../src/outbound/lookup-name.ts";
import { parseNetworks } from "../../src/outbound/network.ts";
import type { Outbound } from "../../src/outbound/outbound.ts";
import { systemClock } from "../../src/host/system-clock.ts";
import type { DnsServer } from "./dns-server.ts";

export const LOOPBACK = "127.0.0.0/8,::1";

/** Calls as the server makes them, with the names that a test's own name server knows. */
export function testOutbound(
  options: {
    /** As in the configuration; otherwise loopback. */
    readonly allow?: string;
    readonly names?: DnsServer;
    readonly hostsFile?: string;
  } & Pick<OutboundOptions, "authorities"> = {},
): Outbound {
  const { allow = LOOPBACK, names, hostsFile = "/dev/null", ...rest } = options;
  const clock = systemClock();
  // Where a test has no name server, none answers.
  const servers = [names?.address ?? "127.0.0.1:1"];
  return createOutbound({
    clock,
    allow: parseNetworks(allow),
    version: "1.2.3",
    lookup: lookupName({ clock, servers, hostsFile }),
    ...rest,
  });
}

/** What became of a call with a small body, in a word: the status, or the reason. */
export async function call(outbound: Outbound, url: string, timeout = 20_000): Promise<number | string> {
  const body = new TextEncoder().encode('{"id":"1"}');
  const outcome = await outbound.post({ url, headers: {}, body, timeout });
  return outcome.kind === "answered" ? outcome.status : outcome.reason;
}
