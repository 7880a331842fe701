import { expect, test } from "bun:test";
import { chooseConnections, type Keyless, networkOf } from "../../src/http/connections/choose-connections.ts";

const from = (network: string, count: number, first = 0): Keyless[] =>
  Array.from({ length: count }, (_, index) => ({ descriptor: first + index, network, since: first + index }));

const chosen = (keyless: Keyless[], excess: number, perNetwork: number): number[] =>
  chooseConnections(keyless, { excess, perNetwork }).map(({ descriptor }) => descriptor);

test("within the limits nothing is closed", () => {
  expect(chosen([...from("a", 5), ...from("b", 5, 10)], 0, 5)).toEqual([]);
});

test("the oldest connections of a network above its limit are closed", () => {
  expect(chosen([...from("a", 5).toReversed(), ...from("b", 2, 10)], 0, 3)).toEqual([0, 1]);
});

test("the network with the most connections gives way first", () => {
  expect(chosen([...from("a", 3), ...from("b", 6, 10)], 5, 10)).toEqual([10, 11, 12, 0, 13]);
});

test("what a network has above its limit counts against the excess", () => {
  expect(chosen(from("a", 5), 2, 3)).toEqual([0, 1]);
});

test("no more is closed than there is", () => {
  expect(chosen(from("a", 2), 10, 5)).toEqual([0, 1]);
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8:1:2::1", "2001:db8:1:2"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
])("%s is in the network %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
