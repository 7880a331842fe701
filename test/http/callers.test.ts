import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { Callers, type GuardedCall } from "../../src/http/connections/callers.ts";

test("requests end in any order, and exactly the others are in flight", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -20, max: 19 }), { maxLength: 60 }), (events) => {
      const ports = new Map<Request, number>();
      const callers = new Callers((request) => ({ address: "127.0.0.1", port: ports.get(request) ?? 0 }));
      const calls: GuardedCall[] = [];
      const inFlight = new Map<string | undefined, boolean>();
      for (const event of events) {
        const call = event < 0 ? undefined : calls[event];
        if (call === undefined) {
          const hasKey = event % 2 === 0;
          const request = new Request("http://127.0.0.1/");
          ports.set(request, calls.length);
          inFlight.set(`127.0.0.1 ${calls.length}`, hasKey);
          const begun = { request, hasKey, place: -1 };
          calls.push(begun);
          callers.began(begun);
        } else {
          inFlight.delete(`127.0.0.1 ${event}`);
          // Some end twice.
          callers.ended(call);
        }
        expect(callers.calling()).toEqual(inFlight);
      }
    }),
  );
});
