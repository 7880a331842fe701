import { describe, expect, test } from "bun:test";
import { deliveryFloor, deliveryId } from "../../src/domain/delivery.ts";
import {
  HEADER_NAME,
  HEADER_VALUE,
  headerFault,
  HIDDEN,
  LONGEST_HEADER,
  mayBegin,
  MOST_WEBHOOK_RETRIES,
  pauseAfter,
  receiverOf,
  WEBHOOK_RETRIES,
} from "../../src/domain/webhook.ts";

describe("the attempts of a webhook", () => {
  test("6 sentence 4: two pauses of the same length, then each twice the one before, up to an hour", () => {
    const pauses = [1, 2, 3, 4, 5, 10, 11, 12, 30].map((attempts) => pauseAfter(attempts, 10_000) / 1_000);
    expect(pauses).toEqual([10, 10, 20, 40, 80, 2_560, 3_600, 3_600, 3_600]);
  });

  test("P19: ten are begun at most where three are made, those included that a crash has cut", () => {
    expect([1, 3, 4, 10].map((started) => mayBegin(started, 2))).toEqual([true, true, true, true]);
    expect(mayBegin(11, 2)).toBe(false);
  });

  test("a pause of more than an hour stays as it is", () => {
    expect([1, 5].map((attempts) => pauseAfter(attempts, 7_200_000))).toEqual([7_200_000, 7_200_000]);
  });

  test("two retries follow the first attempt, and an endpoint can ask for 30", () => {
    expect([WEBHOOK_RETRIES, MOST_WEBHOOK_RETRIES]).toEqual([2, 30]);
  });

  test.each([
    ["http://a.example/x?y=z", "a.example:80"],
    ["https://user:secret@A.example", "a.example:443"],
    ["https://a.example:8443/", "a.example:8443"],
    ["http://[2001:DB8::1]/", "[2001:db8::1]:80"],
    ["http://0x7f.1:8080", "127.0.0.1:8080"],
  ])("the receiver of %s is %s", (address, receiver) => {
    expect(receiverOf(address)).toBe(receiver);
  });
});

describe("the id of a webhook", () => {
  test("stands in the order of time, and between the floors of its millisecond and the next", () => {
    const times = [0, 1_800_000_000_000, 1_800_000_000_001, 4_000_000_000_000];
    const ids = times.map((time) => deliveryId(time, time * 1_024 + 1_023, "sync-ffff"));
    expect(ids.toSorted()).toEqual(ids);
    for (const [index, id] of ids.entries()) {
      expect(id > deliveryFloor(times[index] ?? 0)).toBe(true);
      expect(id < deliveryFloor((times[index] ?? 0) + 1)).toBe(true);
      expect(id).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
    }
  });

  test("begins with its time, which has the same length for thousands of years", () => {
    expect(deliveryId(1_800_000_000_000, 37, "a")).toBe("msg_0mywpiww0_11_a");
    expect(deliveryFloor(0)).toBe("msg_000000000");
  });

  test("tells the ends of one job apart that fall into one millisecond", () => {
    expect(deliveryId(5, 1, "a")).not.toBe(deliveryId(5, 2, "a"));
  });
});

describe("the headers that an endpoint adds to its webhooks", () => {
  const OWN =
    "accept-encoding connection content-encoding content-length content-type expect host keep-alive " +
    "proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade " +
    "user-agent webhook-id";

  test.each(OWN.split(" "))("%s is not one of them, in any case of letters", (name) => {
    expect(headerFault({ [name]: "v" })).toBe(`${name} cannot be set`);
    const upper = name.toUpperCase();
    expect(headerFault({ "x-a": "v", [upper]: "v" })).toBe(`${upper} cannot be set`);
  });

  test("stand there once, with their values", () => {
    expect(headerFault({ authorization: "v", "x-a": "" })).toBeUndefined();
    expect(headerFault({ "x-a": "1", "X-A": "2" })).toBe("X-A is there more than once");
    expect(headerFault({ "x-a": HIDDEN })).toBe("*** stands for a hidden value; send the value itself");
  });

  test("have the form of RFC 9110", () => {
    const long = "a".repeat(128);
    expect(["X-a", "!#$%&'*+.^_`|~-", long].map((name) => HEADER_NAME.test(name))).not.toContain(false);
    expect(["", "a b", "a:", "ä", `${long}a`].map((name) => HEADER_NAME.test(name))).not.toContain(true);
    expect(["a", "a b", "a\tb", "~!"].map((value) => HEADER_VALUE.test(value))).not.toContain(false);
    expect(["", " a", "a ", "a\n", "ä"].map((value) => HEADER_VALUE.test(value))).not.toContain(true);
    expect(LONGEST_HEADER).toBe(4_096);
  });
});
