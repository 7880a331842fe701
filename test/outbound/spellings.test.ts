import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { startDnsServer } from "../support/dns-server.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { call, testOutbound } from "../support/test-outbound.ts";
import { LOOPBACK_SPELLINGS, SPECIAL, URLS } from "./inside-addresses.ts";

const NOT_PERMITTED = /(has no|is not a) public address/;
const NO_OUTSIDE = /could not be looked up|has no (public )?address/;
const NO_URL = /not a valid URL|must begin with http/;

const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
  addresses.map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address)),
);

describe("addresses inside (threat T2, tests S16)", () => {
  test("are refused in all spellings, before and in the call, and nothing is connected to", async () => {
    const urlsOf = (port: number): string[] => [
      ...[...LOOPBACK_SPELLINGS, ...SPECIAL, ...own].flatMap((host) => [
        `http://${host}:${port}/`,
        `https://${host}:${port}/x?y#z`,
      ]),
      ...URLS.map((url) => url.replace("PORT", String(port))),
    ];
    await using receiver = await receiverEverywhere();
    const urls = urlsOf(receiver.port);
    expect(LOOPBACK_SPELLINGS.length + SPECIAL.length + URLS.length).toBeGreaterThan(200);
    const outbound = testOutbound({ allow: "" });
    for (const url of urls) {
      const refusal = outbound.refusal(url);
      const outcome = await call(outbound, url, 5_000);
      // What no address stands for is a name. Some name servers know none of these, some give own addresses.
      if (refusal === undefined) expect([url, outcome]).toEqual([url, expect.stringMatching(NO_OUTSIDE)]);
      else if (!NO_URL.test(refusal))
        expect([url, refusal]).toEqual([url, expect.stringMatching(NOT_PERMITTED)]);
      expect(typeof outcome).toBe("string");
    }
    expect(receiver.addresses).toEqual([]);
  });

  test("are reached in many of these spellings once they are permitted: the test would see it", async () => {
    await using receiver = await receiverEverywhere();
    const outbound = testOutbound({ allow: "0.0.0.0/0,::/0" });
    const body = new Uint8Array();
    await Promise.all(
      LOOPBACK_SPELLINGS.map((host, index) => {
        const url = `http://${host}:${receiver.port}/`;
        return outbound.post({ url, headers: { "x-index": String(index) }, body, timeout: 5_000 });
      }),
    );
    const reached = receiver.requests.map(
      (request) => LOOPBACK_SPELLINGS[Number(/^x-index: (\d+)/m.exec(request)?.[1])],
    );
    expect(reached.length).toBeGreaterThan(60);
    expect(reached).toContain("①②⑦.⓪.⓪.①");
    expect(reached).toContain("[::ffff:7f00:1]");
    expect(reached).toContain("[::1]");
    expect(reached).toContain("0");
  });

  test("are not connected to when names stand for them, once, thrice or by way of others", async () => {
    const addresses = [...SPECIAL, ...own, "127.0.0.1", "0.0.0.0", "[::1]", "[::]", "[::ffff:7f00:1]"]
      .map((host) => URL.parse(`http://${host}/`)?.hostname.replaceAll(/[[\]]/g, "") ?? "")
      .filter((address) => address !== "");
    await using names = await startDnsServer((name, type) => {
      const address = addresses[Number(/\d+/.exec(name)?.[0])] ?? "";
      const isOfType = address.includes(":") === (type === "AAAA");
      return {
        addresses: isOfType ? (name.startsWith("more") ? [address, address, address] : [address]) : [],
        ...(name.startsWith("alias") ? { alias: "other.test" } : {}),
      };
    });
    await using receiver = await receiverEverywhere();
    const outbound = testOutbound({ allow: "", names });
    for (const index of addresses.keys()) {
      for (const kind of ["one", "more", "alias"]) {
        const name = `${kind}${index}.test`;
        expect(await call(outbound, `http://${name}:${receiver.port}/`)).toBe(
          `${name} has no public address. To allow private ones, set FOREBAY_WEBHOOK_ALLOW.`,
        );
      }
    }
    expect(receiver.addresses).toEqual([]);
  });

  test("of protocols other than HTTP are refused by their port", () => {
    const outbound = testOutbound();
    for (const port of [0, 1, 22, 23, 25, 53, 110, 143, 389, 465, 587, 636, 2049, 6000, 6667, 10_080]) {
      expect(outbound.refusal(`http://example.com:${port}/`)).toBe(
        `Port ${port} is reserved for another protocol. Use another port.`,
      );
    }
    for (const port of [80, 443, 444, 3000, 5000, 8000, 8080, 8443, 9000, 65_535]) {
      expect(outbound.refusal(`https://example.com:${port}/`)).toBeUndefined();
    }
  });
});

/** Takes connections to any address of this machine, of both families. */
function receiverEverywhere(): Promise<Receiver> {
  return startReceiver({ host: "::", answer: (socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n") });
}
