import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { addressRules } from "../../src/outbound/address-rules.ts";
import { parseNetworks } from "../../src/outbound/network.ts";

/**
 * What is not for the internet, as first and last address: from the registries of IANA (special-purpose
 * addresses, multicast, the space of IPv6), read for this test and not from the code.
 */
const FORBIDDEN_4: readonly (readonly [number, number])[] = [
  [0x00000000, 0x00ffffff],
  [0x0a000000, 0x0affffff],
  [0x64400000, 0x647fffff],
  [0x7f000000, 0x7fffffff],
  [0xa83f8110, 0xa83f8110],
  [0xa9fe0000, 0xa9feffff],
  [0xac100000, 0xac1fffff],
  [0xc0000000, 0xc00000ff],
  [0xc0000200, 0xc00002ff],
  [0xc01fc400, 0xc01fc4ff],
  [0xc034c100, 0xc034c1ff],
  [0xc0586300, 0xc05863ff],
  [0xc0a80000, 0xc0a8ffff],
  [0xc0af3000, 0xc0af30ff],
  [0xc6120000, 0xc613ffff],
  [0xc6336400, 0xc63364ff],
  [0xcb007100, 0xcb0071ff],
  [0xe0000000, 0xffffffff],
];

const FORBIDDEN_6: readonly (readonly [bigint, bigint])[] = [
  // All below 2000::, and all above 3fff:…:ffff.
  [0n, (0x2000n << 112n) - 1n],
  [0x4000n << 112n, (1n << 128n) - 1n],
  // 2001::/23, Teredo within; documentation; 6to4; AS112; documentation.
  [0x20010000n << 96n, (0x20010200n << 96n) - 1n],
  [0x20010db8n << 96n, (0x20010db9n << 96n) - 1n],
  [0x2002n << 112n, (0x2003n << 112n) - 1n],
  [0x2620004f8000n << 80n, (0x2620004f8001n << 80n) - 1n],
  [0x3fff0n << 108n, (0x3fff1n << 108n) - 1n],
];

// What this machine's own addresses are is another test's.
const rules = addressRules([], () => []);

describe("which addresses may be called", () => {
  test("agrees with the registries about the first and the last of each range, and their neighbours", () => {
    for (const [first, last] of FORBIDDEN_4) {
      for (const number of [first - 1, first, last, last + 1]) {
        if (number >= 0 && number <= 0xffffffff)
          expect([text4(number), isForbidden4(number)]).toEqual(said4(number));
      }
    }
    for (const [first, last] of FORBIDDEN_6) {
      for (const number of [first - 1n, first, last, last + 1n]) {
        if (number >= 0n && number < 1n << 128n)
          expect([text6(number), isForbidden6(number)]).toEqual(said6(number));
      }
    }
  });

  test("agrees with the registries about addresses anywhere and near the ranges", () => {
    const near4 = fc
      .constantFrom(...FORBIDDEN_4.flat())
      .chain((edge) =>
        fc.integer({ min: -300, max: 300 }).map((step) => Math.min(0xffffffff, Math.max(0, edge + step))),
      );
    fc.assert(
      fc.property(fc.oneof(near4, fc.nat(0xffffffff)), (number) => said4(number)[1] === isForbidden4(number)),
      { numRuns: 20_000 },
    );
    const top = (1n << 128n) - 1n;
    const near6 = fc
      .constantFrom(...FORBIDDEN_6.flat())
      .chain((edge) => fc.bigInt(-(1n << 70n), 1n << 70n).map((step) => (edge + step) & top));
    const global = fc.bigInt(0x2000n << 112n, (0x4000n << 112n) - 1n);
    fc.assert(
      fc.property(
        fc.oneof(near6, global, fc.bigInt(0n, top)),
        (number) => said6(number)[1] === isForbidden6(number),
      ),
      { numRuns: 20_000 },
    );
  });

  test("no IPv4 address hides within IPv6: mapped, compatible, translated, 6to4, Teredo, NAT64", () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.nat(0xffff), (number, low) => {
        const four = BigInt(number);
        const hidden = [
          (0xffffn << 32n) | four,
          four,
          (0xffff0000n << 32n) | four,
          (0x2002n << 112n) | (four << 80n) | BigInt(low),
          (0x20010000n << 96n) | (four ^ 0xffffffffn),
          (0x64ff9bn << 96n) | four,
          (0x64ff9b0001n << 80n) | four,
        ];
        return hidden.every((address) => rules(text6(address)) !== undefined);
      }),
    );
  });

  test("the public ones of Smokescreen's and Svix's tables may be called", () => {
    const addresses = [
      "8.8.8.8",
      "8.8.9.8",
      "1.1.1.1",
      "100.63.255.254",
      "100.128.0.1",
      "2001:4860:4860::8888",
    ];
    for (const address of [...addresses, "2606:4700:4700::1111", "172.32.0.1", "192.0.1.1", "198.20.0.0"]) {
      expect([address, rules(address)]).toEqual([address, undefined]);
    }
  });

  test("what is not an address, or names an interface, may not", () => {
    for (const text of ["", "example.com", "1.2.3", "01.2.3.4", "1.2.3.4.", "2606:4700::1%eth0", "[::1]"]) {
      expect(rules(text)).toBe("not an address");
    }
  });

  test("one that an interface of this machine has may not, however public it is", () => {
    const own = ["93.184.216.34", "2606:2800:220:1::1", "fe80::1%eth0"];
    const onMachine = addressRules([], () => own);
    expect(onMachine("93.184.216.34")).toBe("this machine");
    expect(onMachine("2606:2800:0220:0001:0:0:0:1")).toBe("this machine");
    expect(onMachine("93.184.216.35")).toBeUndefined();
    expect(addressRules(parseNetworks("93.184.216.34"), () => own)("93.184.216.34")).toBeUndefined();
  });

  test("the list permits what it names and nothing else, each family for itself", () => {
    const listed = addressRules(parseNetworks("10.1.0.0/16, 192.168.7.7,fd12::/16,::1"));
    const allowed = ["10.1.0.0", "10.1.255.255", "192.168.7.7", "fd12:1::1", "::1", "8.8.8.8"];
    expect(allowed.filter((address) => listed(address) !== undefined)).toEqual([]);
    const others = ["10.0.255.255", "10.2.0.0", "192.168.7.8", "fd13::", "::", "127.0.0.1", "::ffff:a01:1"];
    expect(others.filter((address) => listed(address) === undefined)).toEqual([]);
    const all4 = addressRules(parseNetworks("0.0.0.0/0"));
    expect([all4("127.0.0.1"), all4("::1"), all4("::ffff:127.0.0.1")]).toEqual([
      undefined,
      "this machine",
      "IPv4 within IPv6",
    ]);
  });
});

const text4 = (number: number): string => [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join(".");
const text6 = (number: bigint): string =>
  (number.toString(16).padStart(32, "0").match(/.{4}/g) ?? []).join(":");
const isForbidden4 = (number: number): boolean =>
  FORBIDDEN_4.some(([first, last]) => number >= first && number <= last);
const isForbidden6 = (number: bigint): boolean =>
  FORBIDDEN_6.some(([first, last]) => number >= first && number <= last);
const said4 = (number: number): [string, boolean] => [text4(number), rules(text4(number)) !== undefined];
const said6 = (number: bigint): [string, boolean] => [text6(number), rules(text6(number)) !== undefined];
