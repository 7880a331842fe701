import { describe, expect, test } from "bun:test";
import { AT_FIRST, MOST_UNDER_WAY, receiverRoom } from "../../src/background/receiver-room.ts";
import { ManualClock } from "../support/manual-clock.ts";

const QUICK = 20;
const SLOW = 5_000;

describe("the room of receivers", () => {
  function opened() {
    const clock = new ManualClock();
    const room = receiverRoom(clock);
    const countOf = (name: string) => room.rooms().find(({ receiver }) => receiver === name)?.count;
    const attempt = (name: string, took: number, isAcknowledged: boolean): void => {
      room.begin(name);
      room.end(name, took, isAcknowledged);
    };
    return { clock, room, countOf, attempt };
  }

  test("T18: one that is not known has 5, and those under way take from it", () => {
    const { room, countOf } = opened();
    expect(countOf("a")).toBeUndefined();
    room.begin("a");
    room.begin("a");
    expect(countOf("a")).toBe(AT_FIRST - 2);
    expect(room.underWay).toBe(2);
  });

  test("one that acknowledges gets two more each time, up to 64, and if it is slow too", () => {
    const { countOf, attempt } = opened();
    attempt("a", QUICK, true);
    expect(countOf("a")).toBe(7);
    for (let n = 0; n < 100; n++) attempt("a", QUICK, true);
    expect(countOf("a")).toBe(64);
    attempt("slow", SLOW, true);
    expect(countOf("slow")).toBe(7);
  });

  test("T18: one that refuses at once gets no more, one that hangs half as many, but one", () => {
    const { countOf, attempt } = opened();
    attempt("refusing", QUICK, false);
    expect(countOf("refusing")).toBe(AT_FIRST);
    for (const left of [2, 1, 1]) {
      attempt("hanging", SLOW, false);
      expect(countOf("hanging")).toBe(left);
    }
  });

  test("slow ones together leave half of all to others", () => {
    const { room, countOf, attempt } = opened();
    for (let n = 0; n < MOST_UNDER_WAY; n++) attempt(`slow-${n}`, SLOW, false);
    for (let n = 0; n < MOST_UNDER_WAY / 2; n++) room.begin(`slow-${n}`);
    expect(countOf("slow-999")).toBe(0);
    room.begin("other");
    expect(countOf("other")).toBe(AT_FIRST - 1);
    room.end("slow-0", SLOW, false);
    expect(countOf("slow-999")).toBe(2);
  });

  test("what one did is forgotten after a minute, if nothing is under way", async () => {
    const { clock, room, countOf, attempt } = opened();
    attempt("idle", SLOW, false);
    room.begin("busy");
    await clock.advance(60_001);
    expect(countOf("idle")).toBeUndefined();
    expect(countOf("busy")).toBe(AT_FIRST - 1);
  });
});
