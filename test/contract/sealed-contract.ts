import { describe, expect, test } from "bun:test";
import { isStored, type Payload } from "../../src/domain/payload.ts";
import type { ResealedValue, SealedPlace, SealedTable, SealedValue } from "../../src/store/sealed-values.ts";
import { until } from "../support/until.ts";
import { bytes } from "../model/bytes.ts";
import { freshStore, type OpenStore } from "./opened-store.ts";
import { queueOn } from "./queue.ts";
import { claim, endWithWebhook, SEALED, withWebhooks } from "./webhook-steps.ts";

/** What lies sealed beside the configuration, read for a new key and replaced. */
export function sealedContract(open: OpenStore): void {
  describe("sealed values", () => {
    const opened = freshStore(open);
    const theStore = () => opened().store;

    async function isGone(payload: Payload): Promise<boolean> {
      return theStore()
        .readPayload(payload)
        .then(
          () => false,
          () => true,
        );
    }

    /** All of a table, read in pages of `looked` rows. */
    async function all(table: SealedTable, looked: number): Promise<SealedValue[]> {
      const values: SealedValue[] = [];
      let after: SealedPlace | undefined;
      do {
        const page = await theStore().sealed(table, after, looked);
        values.push(...page.values);
        after = page.next;
      } while (after !== undefined);
      return values;
    }

    test("are read page by page, of all endpoints and states; rows without one are passed", async () => {
      const queues = [await queueOn(theStore()), await queueOn(theStore())];
      for (const { steps, sendAll } of queues) {
        await sendAll([steps.enqueue("plain", 1), steps.enqueue("s3", 2, { secret: bytes("sealed s3") })]);
        await sendAll(withWebhooks([steps.enqueue("told", 3)]));
      }
      for (const queue of queues) await endWithWebhook(queue, "ended");
      const expected = queues.flatMap(({ endpoint }): SealedValue[] => [
        { of: "webhook", endpoint, id: "ended", job: "ended", sealed: SEALED },
        { of: "secret", endpoint, id: "s3", job: "s3", sealed: bytes("sealed s3") },
        { of: "webhook", endpoint, id: "told", job: "told", sealed: SEALED },
      ]);
      for (const looked of [1, 3, 100]) expect((await all("job", looked)).map(plain)).toEqual(expected);
      const deliveries = await all("delivery", 1);
      expect(deliveries).toMatchObject(
        queues.map(({ endpoint }) => ({ of: "delivery", endpoint, job: "ended" })),
      );
      expect(deliveries.map(({ id }) => id)).toEqual(
        (await claim(theStore())).map(({ id }) => id).toSorted(),
      );
    });

    test("are replaced where they are still what was read, each for itself", async () => {
      const queue = await queueOn(theStore());
      const { endpoint, steps } = queue;
      await queue.send(steps.enqueue("a", 1, { secret: bytes("one") }));
      await endWithWebhook(queue, "b");
      const read = [...(await all("job", 9)), ...(await all("delivery", 9))];
      const values = read.map((value) => resealed(value, `new ${value.of}`));
      const gone = { of: "webhook" as const, endpoint, id: "x", job: "x", sealed: SEALED, by: SEALED };

      expect(await queue.send({ step: "reseal", values: [gone, ...values] })).toEqual([
        false,
        ...values.map(() => true),
      ]);
      expect(await queue.send({ step: "reseal", values })).toEqual(values.map(() => false));
      const after = [...(await all("job", 9)), ...(await all("delivery", 9))];
      expect(after.map(plain)).toEqual(values.map((value) => plain({ ...value, sealed: value.by })));
      const [taken] = await queue.send(steps.take("w"));
      expect(taken).toMatchObject({ id: "a", secret: bytes("new secret") });
      expect((await claim(theStore()))[0]?.webhook).toEqual(bytes("new delivery"));
    });

    test("are replaced while the job runs: its end calls the new one", async () => {
      const queue = await queueOn(theStore());
      const { steps } = queue;
      await queue.sendAll(withWebhooks([steps.enqueue("running", 1)]));
      await queue.send(steps.take("w"));
      const values = (await all("job", 9)).map((value) => resealed(value, "new webhook"));

      expect(await queue.send({ step: "reseal", values })).toEqual([true]);
      await queue.send(steps.finish("complete", "running", { worker: "w", attempt: 1 }));

      expect((await claim(theStore())).map(({ webhook }) => webhook)).toEqual([bytes("new webhook")]);
    });

    test("may be stored outside the row, before and after, and count with their submitted size", async () => {
      const queue = await queueOn(theStore());
      const { steps } = queue;
      const large = (letter: string) => theStore().writePayload(bytes(letter.repeat(100_000)));
      await queue.send(steps.enqueue("a", 1, { secret: await large("a") }));
      const before = await theStore().counts(queue.endpoint);
      for (const [of, by] of [
        ["b", await large("b")],
        ["c", bytes("small")],
        ["d", await large("d")],
      ] as const) {
        const [value] = await all("job", 9);
        if (value === undefined) throw new Error("nothing is sealed");
        expect([of, await queue.send({ step: "reseal", values: [{ ...value, by }] })]).toEqual([of, [true]]);
        const { sealed } = value;
        if (isStored(sealed)) await until("the payload before was removed", () => isGone(sealed));
      }
      expect(await theStore().counts(queue.endpoint)).toEqual(before);
      const [job] = await queue.send(steps.take("w"));
      if (job?.secret === undefined) throw new Error("the job has no secret");
      expect(await theStore().readPayload(job.secret)).toEqual(bytes("d".repeat(100_000)));
      expect(await theStore().counts(queue.endpoint)).toMatchObject({ queued: 0, queuedBytes: 0 });
    });
  });
}

/** With bytes as the tests write them: a driver may answer another kind of array. */
function plain({ of, endpoint, id, job, sealed }: SealedValue): SealedValue {
  return { of, endpoint, id, job, sealed: isStored(sealed) ? sealed : new Uint8Array(sealed) };
}

function resealed(value: SealedValue, text: string): ResealedValue {
  return { ...value, by: bytes(text) };
}
