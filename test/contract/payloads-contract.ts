import { describe, expect, test } from "bun:test";
import { rejection } from "../support/rejection.ts";
import { isStored, type Payload, PAYLOAD_INLINE_LIMIT } from "../../src/domain/payload.ts";
import type { Step } from "../../src/store/steps.ts";
import { bytes } from "../model/bytes.ts";
import type { Steps } from "../model/steps.ts";
import { until } from "../support/until.ts";
import { OTHER, OWNER } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { queueOn } from "./queue.ts";

/** Around every limit at which a payload goes to another place. */
const SIZES = [0, 1, 2_047, 2_048, 2_049, 65_535, 65_536, 65_537, 1_048_576];

/** Payloads are bytes: what goes in comes out, from wherever they lie. */
export function payloadsContract(open: OpenStore): void {
  describe("payloads", () => {
    const store = sharedStore(open);

    for (const size of SIZES) {
      test(`design invariant 5: ${size} bytes come out as they went in, wherever they lie`, async () => {
        const queue = await queueOn(store());
        const { steps } = queue;
        const sent = (salt: number) => store().writePayload(contentOf(size, salt));
        const body = await sent(1);
        const secret = await sent(2);
        const progress = await sent(3);
        const chunks = [await sent(4), await sent(5)];
        const output = await sent(6);
        const error = await sent(7);

        await queue.send(steps.enqueue("a", 1, { body, secret }));
        expect(await read(await store().body(queue.endpoint, "a"))).toEqual(contentOf(size, 1));
        const [taken] = await queue.send(steps.take(OWNER));
        expect(await read(taken?.body)).toEqual(contentOf(size, 1));
        expect(await read(taken?.secret)).toEqual(contentOf(size, 2));

        await queue.send(steps.progress("a", OWNER, progress));
        expect(await read((await queue.job("a")).progress)).toEqual(contentOf(size, 3));

        await queue.send(steps.append("a", OWNER, chunks));
        const [byNumber, drained] = [await queue.chunks("a"), await queue.send(steps.drain("a"))];
        for (const [index, expected] of [contentOf(size, 4), contentOf(size, 5)].entries()) {
          expect(await read(byNumber[index])).toEqual(expected);
          expect(await read(drained?.chunks[index])).toEqual(expected);
        }

        await queue.send(steps.finish("complete", "a", { worker: OWNER, output }));
        expect(await read((await queue.job("a")).output)).toEqual(contentOf(size, 6));
        const end = await queue.send(steps.drain("a"));
        expect(await read(end?.job.output)).toEqual(contentOf(size, 6));

        await queue.sendAll([steps.enqueue("b", 2), steps.take(OTHER), steps.finish("fail", "b", { error })]);
        expect(await read((await queue.job("b")).error)).toEqual(contentOf(size, 7));
      });
    }

    test("design invariant 5: only a payload above the limit is written before its row", async () => {
      const atLimit = await store().writePayload(contentOf(PAYLOAD_INLINE_LIMIT, 1));
      const above = await store().writePayload(contentOf(PAYLOAD_INLINE_LIMIT + 1, 1));

      expect(isStored(atLimit)).toBe(false);
      expect(above).toMatchObject({ size: PAYLOAD_INLINE_LIMIT + 1 });
    });

    test("design invariant 5: a payload that should have been written first is refused", async () => {
      const queue = await queueOn(store());
      const body = contentOf(PAYLOAD_INLINE_LIMIT + 1, 1);

      expect(await rejection(queue.send(queue.steps.enqueue("a", 1, { body })))).toContain("65537 bytes");
      expect(await store().job(queue.endpoint, "a")).toBeUndefined();
    });

    test("design invariant 5: of several progress values each size gives way to the next", async () => {
      const queue = await queueOn(store());
      await queue.sendAll([queue.steps.enqueue("a", 1), queue.steps.take(OWNER)]);

      for (const size of [1_048_576, 3, 65_536, 2_049, 70_000, 0, 2_048]) {
        const progress = await store().writePayload(contentOf(size, size));
        await queue.send(queue.steps.progress("a", OWNER, progress));
        expect(await read((await queue.job("a")).progress)).toEqual(contentOf(size, size));
      }
    });

    type End = readonly [what: string, end: (steps: Steps) => Step];
    const ends: readonly End[] = [
      ["its result", (steps) => steps.finish("complete", "a", { worker: OWNER })],
      ["its error", (steps) => steps.finish("fail", "a", { worker: OWNER })],
      ["its timeout", (steps) => steps.finish("timeOut", "a")],
      ["its cancel", (steps) => steps.cancel("a")],
      ["the loss of its worker", (steps) => steps.giveBack("a", 1, { losses: 1 })],
      ["the next value", (steps) => steps.progress("a", OWNER, bytes("1"))],
    ];
    test.each(ends)("invariant 5: with %s the progress value of a job is deleted", async (_what, end) => {
      const queue = await queueOn(store());
      await queue.sendAll([queue.steps.enqueue("a", 1), queue.steps.take(OWNER)]);
      const value = await store().writePayload(contentOf(100_000, 1));
      await queue.send(queue.steps.progress("a", OWNER, value));
      const { progress } = await queue.job("a");
      expect(await read(progress)).toHaveLength(100_000);
      await queue.send(end(queue.steps));

      await until("its bytes are gone", async () => !(await rejection(read(progress))).includes("fulfilled"));
    });

    test("invariant 5: a payload that was written and taken back is gone", async () => {
      const payload = await store().writePayload(contentOf(70_000, 1));
      await store().discardPayload(payload);

      expect(await rejection(store().readPayload(payload))).not.toContain("fulfilled");
    });

    test("design invariant 8: a job's body is read at its endpoint alone, also after its end", async () => {
      const queue = await queueOn(store());
      const other = await queueOn(store());
      const { steps } = queue;
      const body = contentOf(5_000, 1);
      await queue.sendAll([steps.enqueue("a", 1, { body }), steps.take(OWNER)]);
      await queue.send(steps.finish("complete", "a", { worker: OWNER }));

      expect(await read(await store().body(queue.endpoint, "a"))).toEqual(body);
      expect(await store().body(other.endpoint, "a")).toBeUndefined();
    });

    test("P2: a part of a larger buffer is kept as that part", async () => {
      const queue = await queueOn(store());
      const whole = contentOf(5_000, 1);
      await queue.send(queue.steps.enqueue("a", 1, { body: whole.subarray(100, 2_900) }));
      const [taken] = await queue.send(queue.steps.take(OWNER));

      expect(await read(taken?.body)).toEqual(whole.slice(100, 2_900));
    });

    async function read(payload: Payload | undefined): Promise<Uint8Array> {
      if (payload === undefined) throw new Error("there is no payload");
      return new Uint8Array(await store().readPayload(payload));
    }
  });
}

/** Bytes of every value, in an order that differs with the salt. */
function contentOf(size: number, salt: number): Uint8Array {
  const content = new Uint8Array(size);
  let state = salt + 1;
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    content[index] = state >>> 24;
  }
  return content;
}
