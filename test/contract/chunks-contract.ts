import { describe, expect, test } from "bun:test";
import type { Payload } from "../../src/domain/payload.ts";
import { JOB_STATES } from "../../src/domain/transitions.ts";
import type { ChunkLimit, Drain } from "../../src/store/steps.ts";
import { bytes } from "../model/bytes.ts";
import { answered } from "./answered.ts";
import { ATTEMPT, OTHER, OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn } from "./queue.ts";

const JOB = "job";
const TOO_MUCH = bytes('"too much"');

/** Chunks and progress of the running attempt, and how they are read. */
export function chunksContract(open: OpenStore): void {
  describe("append, progress, drain", () => {
    const store = sharedStore(open);

    for (const state of [undefined, ...JOB_STATES]) {
      for (const [speaker, worker, attempt] of [
        ["owner", OWNER, ATTEMPT],
        ["owner without attempt", OWNER, undefined],
        ["other worker", OTHER, ATTEMPT],
        ["stale attempt", OWNER, ATTEMPT - 1],
      ] as const) {
        const accepted = state === "IN_PROGRESS" && speaker.startsWith("owner");
        const fate = accepted ? "kept" : "ignored";

        test(`R15: ${state ?? "absent"}, chunk and progress by ${speaker}: ${fate}`, async () => {
          const queue = await queueOn(store());
          if (state !== undefined) await queue.sendAll(stepsInto(state, queue.steps, JOB));
          const before = await store().job(queue.endpoint, JOB);

          const append = await queue.send(queue.steps.append(JOB, worker, [bytes("1")], attempt));
          const progress = await queue.send(queue.steps.progress(JOB, worker, bytes("2"), attempt));

          expect([append, progress]).toEqual([{ accepted }, { accepted }]);
          expect(await chunks(queue)).toEqual(accepted ? ["1"] : []);
          const after = await store().job(queue.endpoint, JOB);
          if (accepted) expect(after?.progress).toEqual(bytes("2"));
          else expect(after).toEqual(before);
        });
      }
    }

    test("chunks of a read that was not answered are read again, and no others", async () => {
      const queue = await queueOn(store());
      const { steps } = queue;
      await queue.sendAll([steps.enqueue("a", 1), steps.take(OWNER)]);
      await queue.send(steps.append("a", OWNER, [bytes("0"), bytes("1"), bytes("2")]));
      await queue.send(steps.drain("a", { chunkLimit: 1 }));
      await queue.send(steps.drain("a", { chunkLimit: 1 }));

      const back = await queue.send(steps.drain("a", { from: 0, chunkLimit: 0, unreadFrom: 1 }));

      expect(back?.chunks).toEqual([]);
      expect((await queue.send(steps.drain("a")))?.chunks).toHaveLength(2);
      await queue.send(steps.drain("a", { from: 0, chunkLimit: 0, unreadFrom: 9 }));
      expect((await queue.send(steps.drain("a")))?.chunks).toEqual([]);
    });

    test("P18: chunks are kept in the order in which they came, and read by number", async () => {
      const queue = await running();
      await append(queue, "a", "b");
      await append(queue, "c");
      await append(queue);
      await append(queue, "d");

      expect(await chunks(queue)).toEqual(["a", "b", "c", "d"]);
      expect(await chunks(queue, 2)).toEqual(["c", "d"]);
      expect(await chunks(queue, 4)).toEqual([]);
      expect(await chunks(queue, 9)).toEqual([]);
    });

    test("P18: chunks in flight all stay, each once, and those of one call stay together", async () => {
      const queue = await running();
      await Promise.all(Array.from({ length: 20 }, (_, n) => append(queue, `${n}.1`, `${n}.2`)));

      const kept = await chunks(queue);
      expect(kept).toHaveLength(40);
      expect(new Set(kept).size).toBe(40);
      for (let n = 0; n < 20; n++) expect(kept.indexOf(`${n}.2`)).toBe(kept.indexOf(`${n}.1`) + 1);
    });

    const limitOf = ({ steps }: Queue, bytes: number, attempt?: number): ChunkLimit => ({
      bytes,
      otherwise: steps.finish("cutOff", JOB, { worker: OWNER, attempt, error: TOO_MUCH }),
    });

    test("input 26: chunks up to the limit are kept, those of one byte more end the job", async () => {
      const queue = await running();
      const large = await store().writePayload(new Uint8Array(100_000).fill(65));
      const send = (chunks: readonly Payload[], limit: ChunkLimit) =>
        queue.send(queue.steps.append(JOB, OWNER, chunks, undefined, limit));
      expect(await send([bytes("12"), large], limitOf(queue, 100_003))).toEqual({ accepted: true });
      expect(await send([bytes("3"), bytes("")], limitOf(queue, 100_003))).toEqual({ accepted: true });
      expect(await queue.job(JOB)).toMatchObject({ state: "IN_PROGRESS" });

      const [over, result] = await queue.sendAll([
        queue.steps.append(JOB, OWNER, [bytes("4")], undefined, limitOf(queue, 100_003)),
        queue.steps.finish("complete", JOB, { worker: OWNER, output: bytes("1") }),
      ]);

      expect(over).toEqual({ accepted: false, isOver: true });
      expect(result).toEqual({ accepted: false });
      expect(await queue.job(JOB)).toMatchObject({ state: "FAILED", error: TOO_MUCH, output: undefined });
      expect(await queue.chunks(JOB)).toHaveLength(4);
      const { running: runs, failed, ignored } = (await store().counts(queue.endpoint)) ?? {};
      expect({ runs, failed, ignored }).toEqual({ runs: 0, failed: 1, ignored: 1 });
    });

    test("input 26: the worker of a job over its limit is asked to stop, until it reports", async () => {
      const queue = await running();
      const stopping = () => store().stopping(queue.endpoint, OWNER);
      await queue.send(queue.steps.append(JOB, OWNER, [bytes("12")], ATTEMPT, limitOf(queue, 1, ATTEMPT)));
      expect(await stopping()).toEqual([JOB]);
      const late = await queue.send(
        queue.steps.append(JOB, OWNER, [bytes("12")], ATTEMPT, limitOf(queue, 1, ATTEMPT)),
      );
      expect(late).toEqual({ accepted: false });
      await queue.send(queue.steps.finish("cutOff", JOB, { worker: OWNER }));
      expect(await stopping()).toEqual([JOB]);
      await queue.send(queue.steps.finish("complete", JOB, { worker: OWNER }));
      expect(await stopping()).toEqual([]);
    });

    test("input 26: what is late or foreign does not count, and ends nothing", async () => {
      const queue = await running();
      for (const [worker, attempt] of [
        [OTHER, ATTEMPT],
        [OWNER, ATTEMPT - 1],
      ] as const) {
        const step = queue.steps.append(JOB, worker, [bytes("12")], attempt, limitOf(queue, 1));
        expect(await queue.send(step)).toEqual({ accepted: false });
      }
      expect((await queue.job(JOB)).state).toBe("IN_PROGRESS");
    });

    test("input 26: each attempt is counted anew, after a loss and after a retry", async () => {
      const queue = await running();
      const fill = () =>
        queue.send(queue.steps.append(JOB, OWNER, [bytes("12")], undefined, limitOf(queue, 2)));
      expect(await fill()).toEqual({ accepted: true });
      await queue.sendAll([queue.steps.giveBack(JOB, ATTEMPT), queue.steps.take(OWNER)]);
      expect(await fill()).toEqual({ accepted: true });
      expect(await fill()).toEqual({ accepted: false, isOver: true });
      await queue.sendAll([queue.steps.retry(JOB, 2), queue.steps.take(OWNER)]);
      expect(await fill()).toEqual({ accepted: true });
    });

    test("P18: the newest progress value replaces the one before", async () => {
      const queue = await running();
      await queue.send(queue.steps.progress(JOB, OWNER, bytes("1")));
      await queue.send(queue.steps.progress(JOB, OWNER, bytes("2")));

      expect((await queue.job(JOB)).progress).toEqual(bytes("2"));
    });

    test("R17: a drain returns what no drain has returned, with a cursor after it", async () => {
      const queue = await running();
      await append(queue, "a", "b", "c");

      expect(await drain(queue, { chunkLimit: 2 })).toEqual({
        chunks: ["a", "b"],
        next: 2,
        remaining: 1,
        state: "IN_PROGRESS",
      });
      await append(queue, "d");
      expect(await drain(queue)).toEqual({
        chunks: ["c", "d"],
        next: 4,
        remaining: 0,
        state: "IN_PROGRESS",
      });
      expect(await drain(queue)).toEqual({ chunks: [], next: 4, remaining: 0, state: "IN_PROGRESS" });
    });

    test("R17: reading chunks by number consumes nothing, and reads what was drained as well", async () => {
      const queue = await running();
      await append(queue, "a", "b");
      await chunks(queue);

      expect((await drain(queue)).chunks).toEqual(["a", "b"]);
      expect(await chunks(queue)).toEqual(["a", "b"]);
    });

    for (const from of [undefined, 0]) {
      const kind = from === undefined ? "that consumes" : "by number";

      test(`R17: a read ${kind} ends with the chunk that reaches its bytes`, async () => {
        const queue = await running();
        const large = await store().writePayload(new Uint8Array(100_000).fill(65));
        await append(queue, "12345", "67890", "x");
        await queue.send(queue.steps.append(JOB, OWNER, [large, bytes("z")]));
        const read = (byteLimit: number, at: number) =>
          drain(queue, { byteLimit, from: from === undefined ? undefined : at });

        expect(await read(6, 0)).toMatchObject({ chunks: ["12345", "67890"], next: 2, remaining: 3 });
        expect(await read(2, 2)).toMatchObject({ chunks: ["x", "A".repeat(100_000)], next: 4, remaining: 1 });
        expect(await read(100_000, 4)).toMatchObject({ chunks: ["z"], next: 5, remaining: 0 });
      });
    }

    test("R17: drains in flight never answer the same chunk, and leave none", async () => {
      const queue = await running();
      const sent = Array.from({ length: 30 }, (_, n) => `chunk ${n}`);
      await append(queue, ...sent);

      const answers = await Promise.all(Array.from({ length: 12 }, () => drain(queue, { chunkLimit: 3 })));

      expect(answers.flatMap((answer) => answer.chunks).toSorted()).toEqual(sent.toSorted());
    });

    for (const state of ["COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"] as const) {
      test(`R16: the first drain that says ${state} has all that is left, from the same moment`, async () => {
        const queue = await running();
        await append(queue, "a");
        const end = stepsInto(state, queue.steps, JOB).at(-1);
        if (end === undefined) throw new Error("every state has a last step");

        const [, , drained] = await queue.sendAll([
          queue.steps.append(JOB, OWNER, [bytes("b")]),
          end,
          queue.steps.drain(JOB),
        ]);

        expect(drained?.job).toEqual(await queue.job(JOB));
        expect(drained?.job.state).toBe(state);
        expect(drained?.chunks).toEqual([bytes("a"), bytes("b")]);
        expect(drained?.remaining).toBe(0);
      });
    }

    test("R17: the next attempt begins with its own chunks, and the cursor with it", async () => {
      const queue = await running();
      await append(queue, "old 1", "old 2");
      await drain(queue);
      await queue.sendAll([queue.steps.giveBack(JOB, ATTEMPT), queue.steps.take(OWNER)]);
      await append(queue, "new");

      expect(await drain(queue)).toMatchObject({ chunks: ["new"], next: 1, remaining: 0 });
      expect(await chunks(queue)).toEqual(["new"]);
    });

    test("T1: a job that is not there has no chunks to drain or read", async () => {
      const queue = await queueOn(store());

      expect(await answered(queue.send(queue.steps.drain("nothing")))).toBeUndefined();
      expect(await answered(queue.send(queue.steps.drain("nothing", { from: 0 })))).toBeUndefined();
    });

    async function running(): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto("IN_PROGRESS", queue.steps, JOB));
      return queue;
    }

    async function append(queue: Queue, ...texts: string[]): Promise<void> {
      await queue.send(queue.steps.append(JOB, OWNER, texts.map(bytes)));
    }

    async function chunks(queue: Queue, from = 0): Promise<string[]> {
      return textsOf(queue, await queue.chunks(JOB, from));
    }

    async function drain(queue: Queue, given: Partial<Drain> = {}) {
      const answer = await queue.send(queue.steps.drain(JOB, given));
      if (answer === undefined) throw new Error("there is nothing to drain");
      const { next, remaining, job } = answer;
      return { chunks: await textsOf(queue, answer.chunks), next, remaining, state: job.state };
    }
  });
}

async function textsOf({ store }: Queue, payloads: readonly Payload[]): Promise<string[]> {
  const contents = await Promise.all(payloads.map((payload) => store.readPayload(payload)));
  return contents.map((content) => new TextDecoder().decode(content));
}
