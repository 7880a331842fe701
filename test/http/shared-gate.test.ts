import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { EXACT_LIMIT, RATE_WINDOW } from "../../src/domain/rate-limits.ts";
import type { Refusal } from "../../src/http/limits/gate.ts";
import { SharedGate } from "../../src/http/limits/shared-gate.ts";
import type { SharedRate } from "../../src/engine/rate-sharing.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** The longest way to the database and back, ms. */
const LONGEST_WAY = 20;

/** Large limits are shared to so many ms. */
const SLICE = 50;

/** A refusal for what is in flight is remembered so long, ms. */
const FULL_FOR = 50;

/** How long after the one before, at which server, and how many at once. */
const TRAFFIC = fc.array(
  fc.record({
    pause: fc.constantFrom(0, 1, 3, 20, 100, 400, 3_000, 9_990, 10_000),
    // Most come to the first one.
    server: fc.constantFrom(0, 0, 0, 1, 2, 3),
    share: fc.constantFrom(0.01, 0.03, 0.1, 0.5, 1.2),
    way: fc.integer({ min: 0, max: LONGEST_WAY }),
  }),
  { minLength: 5, maxLength: 40 },
);

interface Outcome {
  readonly at: number;
  readonly refusal: Refusal;
}

describe("gates of several servers on one operation", () => {
  test.each([
    ["2, as for purge-queue", 2, 40],
    ["10, as for requests", 10, 40],
    ["100, as for cancel", EXACT_LIMIT, 30],
    ["1000, as for run", 1_000, 10],
    ["2000, as for status", 2_000, 8],
  ])(
    "a limit of %s holds over 1 to 4 servers, and none is refused below it",
    async (_name, requests, numRuns) => {
      const play = requests <= EXACT_LIMIT ? 0 : Math.floor(requests * 0.05);
      const least = requests - play;
      const slack = LONGEST_WAY * 4 + (play > 0 ? SLICE : 0);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4 }), TRAFFIC, async (servers, traffic) => {
          const world = worldOf(servers);
          for (const { pause, server, share, way } of traffic) {
            await world.clock.advance(pause);
            world.way = way;
            const count = Math.max(1, Math.floor(requests * share));
            for (let n = 0; n < count; n++)
              world.enter(server % servers, { requests, concurrent: undefined });
          }
          await world.clock.advance(1_000);

          const admitted = world.outcomes.filter(({ refusal }) => refusal === undefined).map(({ at }) => at);
          expect(mostWithin(admitted, RATE_WINDOW - slack)).toBeLessThanOrEqual(requests + play);
          for (const { at } of world.outcomes.filter(({ refusal }) => refusal !== undefined)) {
            const before = admitted.filter((time) => time > at - RATE_WINDOW - slack && time <= at + slack);
            expect(before.length).toBeGreaterThanOrEqual(least);
          }
        }),
        { numRuns },
      );
    },
    60_000,
  );

  test.each([
    ["2, as for requests", 2],
    ["20, as for cancel", 20],
    ["200, as for run", 200],
    ["400, as for runsync", 400],
  ])(
    "%s in flight hold over 1 to 4 servers, and none is refused below it",
    async (_name, concurrent) => {
      const play = concurrent <= EXACT_LIMIT ? 0 : Math.floor(concurrent * 0.05);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4 }), TRAFFIC, async (servers, traffic) => {
          const world = worldOf(servers);
          for (const { pause, server, share, way } of traffic) {
            await world.clock.advance(Math.min(pause, 400));
            world.way = way;
            if (share === 0.5) world.leave(Math.floor(world.inFlight.length / 2));
            if (share === 0.03) world.leave(world.inFlight.length);
            const count = Math.max(1, Math.floor(concurrent * share));
            for (let n = 0; n < count; n++)
              world.enter(server % servers, { requests: 1_000_000, concurrent });
            expect(world.inFlight.length).toBeLessThanOrEqual(concurrent + play);
          }
          await world.clock.advance(1_000);
          expect(world.inFlight.length).toBeLessThanOrEqual(concurrent + play);

          // Once all know what is over, all the room that there is can be had at one of them.
          await world.tellChanges();
          await world.clock.advance(FULL_FOR);
          const room = concurrent - world.inFlight.length;
          const before = world.inFlight.length;
          for (let n = 0; n < room + play + 5; n++) {
            world.enter(servers - 1, { requests: 1_000_000, concurrent });
            await world.clock.advance(0);
          }
          await world.clock.advance(1_000);
          expect(world.inFlight.length - before).toBeGreaterThanOrEqual(Math.min(room - play, room));
          expect(world.inFlight.length).toBeLessThanOrEqual(concurrent + play);
        }),
        { numRuns: 15 },
      );
    },
    60_000,
  );

  test("a server alone asks nobody, and broadcasts what it let in when another one comes", async () => {
    const world = worldOf(2);
    world.others = 0;
    const limit = { requests: 1_000, concurrent: 200 };
    for (let n = 0; n < 150; n++) world.enter(0, limit);
    await world.clock.advance(5_000);
    world.leave(150);
    for (let n = 0; n < 151; n++) world.enter(0, limit);
    world.leave(100);
    expect(world.asked).toBe(0);

    world.others = 1;
    const told = world.tellExcess();
    await world.clock.advance(1_000);
    await told;
    for (let n = 0; n < 1_000; n++) {
      world.enter(1, limit);
      await world.clock.advance(0);
      world.leaveOf(1);
    }
    await world.clock.advance(100);
    const refused = world.outcomes.filter(({ refusal }) => refusal === "requests").length;
    expect(refused).toBeGreaterThanOrEqual(1_000 - (1_050 - 301));
    expect(refused).toBeLessThanOrEqual(1_000 - (950 - 301));
  });

  test("when the database has lost what was let in, the servers still know", async () => {
    const world = worldOf(2);
    const limit = { requests: 100, concurrent: undefined };
    for (let n = 0; n < 60; n++) world.enter(0, limit);
    await world.clock.advance(100);
    world.forget();
    for (let n = 0; n < 60; n++) world.enter(0, limit);
    await world.clock.advance(100);

    expect(world.outcomes.filter(({ refusal }) => refusal === undefined)).toHaveLength(100);
  });
});

/** Servers with a gate each, and a database between them whose answers take their time. */
function worldOf(servers: number) {
  const clock = new ManualClock();
  const outcomes: Outcome[] = [];
  const inFlight: (() => unknown)[] = [];
  const places: number[] = [];
  let row: SharedRate | undefined;
  const world = {
    clock,
    outcomes,
    inFlight,
    way: 0,
    asked: 0,
    others: servers - 1,
    enter,
    leave,
    leaveOf,
    forget: () => {
      row = undefined;
    },
    tellExcess: async () => void (await Promise.all(gates.map((gate) => gate.tellExcess()))),
    /** Twice: what there was a moment ago is kept for one look. */
    async tellChanges() {
      for (const _look of [1, 2]) {
        const told = Promise.all(gates.map((gate) => gate.tellChanges()));
        await clock.advance(500);
        await told;
      }
    },
  };

  function onItsWay(): Promise<void> {
    world.asked++;
    return new Promise((resolve) => void clock.after(world.way, resolve));
  }

  const gates = Array.from(
    { length: servers },
    (_, index) =>
      new SharedGate({
        name: `server-${index}`,
        clock,
        others: () => world.others,
        isGone: () => false,
        async rate() {
          await onItsWay();
          return row;
        },
        async putRate(rate) {
          await onItsWay();
          if (rate.version !== (row?.version ?? 0) + 1) return false;
          row = rate;
          return true;
        },
      }),
  );

  function enter(server: number, limit: { requests: number; concurrent: number | undefined }): void {
    const gate = gates[server];
    if (gate === undefined) throw new Error(`no server ${server}`);
    const settle = (refusal: Refusal): void => {
      outcomes.push({ at: clock.now(), refusal });
      if (refusal !== undefined) return;
      inFlight.push(() => gate.leave());
      places.push(server);
    };
    const refusal = gate.enter(limit, clock.now());
    if (refusal instanceof Promise) void refusal.then(settle);
    else settle(refusal);
  }

  function leave(count: number): void {
    places.splice(0, count);
    for (const end of inFlight.splice(0, count)) end();
  }

  function leaveOf(server: number): void {
    const place = places.indexOf(server);
    if (place === -1) return;
    places.splice(place, 1);
    for (const end of inFlight.splice(place, 1)) end();
  }

  return world;
}

/** The largest number of times in any span. */
function mostWithin(times: readonly number[], span: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (const [index, time] of sorted.entries()) {
    while ((sorted[first] ?? 0) <= time - span) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
