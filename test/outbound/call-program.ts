// Calls the address given, which the networks given permit, and prints what became of it.
import { createOutbound } from "../../src/outbound/create-outbound.ts";
import { parseNetworks } from "../../src/outbound/network.ts";
import { systemClock } from "../../src/host/system-clock.ts";

const [url = "", allow = ""] = process.argv.slice(2);
const outbound = createOutbound({ clock: systemClock(), allow: parseNetworks(allow), version: "1.2.3" });
const outcome = await outbound.post({ url, headers: {}, body: new Uint8Array(), timeout: 20_000 });
process.stdout.write(JSON.stringify(outcome));
