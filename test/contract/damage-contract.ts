import { describe, expect, test } from "bun:test";
import { ForebayError } from "../../src/domain/errors.ts";
import { type Payload, sizeOf } from "../../src/domain/payload.ts";
import type { Store } from "../../src/store/store.ts";
import { type Change, flip, type Place, REMOVED, WITHOUT_DIGEST } from "../support/damage.ts";
import { OWNER } from "./job-in-state.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

/** In the row of the job, in a row of its own, in a file or in rows of parts. */
const SIZES = [20, 5_000, 70_000, 600_000];

const KINDS: readonly Place["of"][] = ["body", "secret", "progress", 0, "output", "error"];

/** The first byte of the mark, of the digest, of the payload, and the last of all. */
const BYTES = [0, 4, 8, -1];

/** Damage is found when the payload is read, and concerns no other. `whyNot` says why a store has none. */
export function damageContract(open: OpenStore, whyNot: string | undefined): void {
  if (whyNot !== undefined) {
    test.skip(`damaged payloads (skipped: ${whyNot})`, () => undefined);
    return;
  }

  describe("damaged payloads", () => {
    const opened = freshStore(open);

    async function changed(queue: Queue, job: string, of: Place["of"], change: Change): Promise<Store> {
      const { change: changeStore } = opened();
      if (changeStore === undefined) throw new Error("this store cannot be damaged, and gave no reason");
      return changeStore({ endpoint: queue.endpoint, job, of }, change);
    }

    for (const [row, size] of SIZES.entries()) {
      for (const [column, of] of KINDS.entries()) {
        const at = BYTES[(row + column) % BYTES.length] ?? 0;
        test(`invariant 5: a flipped byte in ${placeName(of)} of ${size} bytes is found`, async () => {
          const queue = await queueOn(opened().store);
          await store(queue, "damaged", of, size);
          await store(queue, "whole", of, size);

          const again = await changed(queue, "damaged", of, flip(at));

          expect(await codeOf(again, await payloadOf(again, queue, "damaged", of))).toBe("PAYLOAD_DAMAGED");
          const whole = await payloadOf(again, queue, "whole", of);
          expect(Buffer.from(await again.readPayload(whole)).equals(contentOf(size))).toBe(true);
        });

        test(`invariant 5: ${placeName(of)} of ${size} bytes that version 0.1 wrote is read`, async () => {
          const queue = await queueOn(opened().store);
          await store(queue, "old", of, size);

          const again = await changed(queue, "old", of, WITHOUT_DIGEST);

          const payload = await payloadOf(again, queue, "old", of);
          expect(sizeOf(payload)).toBe(size);
          expect(Buffer.from(await again.readPayload(payload)).equals(contentOf(size))).toBe(true);
        });
      }
    }

    for (const size of [70_000, 600_000]) {
      test(`invariant 5: ${size} bytes that are gone are damage, as long as a row names them`, async () => {
        const queue = await queueOn(opened().store);
        await store(queue, "a", "body", size);
        const again = await changed(queue, "a", "body", REMOVED);
        expect(await codeOf(again, await payloadOf(again, queue, "a", "body"))).toBe("PAYLOAD_DAMAGED");
      });
    }

    test("a take hands out damaged jobs together with whole ones", async () => {
      const queue = await queueOn(opened().store);
      for (const job of ["a", "b", "c"]) await store(queue, job, "body", 5_000);
      const again = await changed(queue, "b", "body", flip(2_000));

      const [jobs] = await again.apply([queue.steps.take(OWNER, { count: 9 })], START + 1);

      expect(jobs.map(({ id }) => id)).toEqual(["a", "b", "c"]);
      const read = await Promise.all(jobs.map(({ body }) => codeOf(again, body)));
      expect(read).toEqual([undefined, "PAYLOAD_DAMAGED", undefined]);
    });
  });
}

function placeName(of: Place["of"]): string {
  return typeof of === "number" ? "a chunk" : `a job's ${of}`;
}

/** A job with such a payload there. */
async function store(queue: Queue, id: string, of: Place["of"], size: number): Promise<void> {
  const { steps } = queue;
  const payload = await queue.store.writePayload(contentOf(size));
  const given = of === "body" ? { body: payload } : of === "secret" ? { secret: payload } : {};
  await queue.send(steps.enqueue(id, 1, given));
  if (of === "body" || of === "secret") return;
  await queue.send(steps.take(OWNER));
  if (of === "progress") await queue.send(steps.progress(id, OWNER, payload));
  else if (of === 0) await queue.send(steps.append(id, OWNER, [payload]));
  else if (of === "output")
    await queue.send(steps.finish("complete", id, { worker: OWNER, output: payload }));
  else await queue.send(steps.finish("fail", id, { worker: OWNER, error: payload }));
}

async function payloadOf(from: Store, queue: Queue, id: string, of: Place["of"]): Promise<Payload> {
  const { endpoint, steps } = queue;
  const found = await find();
  if (found === undefined) throw new Error(`job ${id} has no ${of}`);
  return found;

  async function find(): Promise<Payload | undefined> {
    if (of === "body") return from.body(endpoint, id);
    if (of === "secret") {
      const { values } = await from.sealed("job", undefined, 100);
      return values.find((value) => value.id === id && value.endpoint === endpoint)?.sealed;
    }
    if (of === "output" || of === "error" || of === "progress") return (await from.job(endpoint, id))?.[of];
    const [drained] = await from.apply([steps.drain(id, { from: 0 })], START + 1);
    return drained?.chunks[0];
  }
}

async function codeOf(from: Store, payload: Payload): Promise<string | undefined> {
  try {
    await from.readPayload(payload);
    return undefined;
  } catch (error) {
    if (error instanceof ForebayError) return error.code;
    throw error;
  }
}

function contentOf(size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, index) => (index * 7 + 32) % 251);
}
