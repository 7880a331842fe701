import { describe, expect, test } from "bun:test";
import { DEFAULT_POLICY, RUN_RETENTION } from "../../src/domain/policy.ts";
import { isTerminal, JOB_STATES, type JobState } from "../../src/domain/transitions.ts";
import { DELIVERY_LEASE } from "../model/steps.ts";
import { OWNER, stepsInto } from "./job-in-state.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";

const JOB = "job";

/** A ttl that is set later: the deadline of an unfinished job, the end of a finished one's retention. */
export function ttlContract(open: OpenStore): void {
  describe("setTtl", () => {
    const store = sharedStore(open);

    for (const state of JOB_STATES) {
      const lifetime = isTerminal(state) ? RUN_RETENTION : DEFAULT_POLICY.ttl;
      const wish = isTerminal(state) ? "is never kept longer" : "may live longer";

      test(`design row 4: ${state} ends earlier`, async () => {
        const queue = await queueWith(state);

        expect(await queue.send(queue.steps.setTtl(JOB, START + 1_000))).toEqual({ accepted: true });

        const job = await queue.job(JOB);
        expect(job.dueAt).toBe(START + 1_000);
        expect(job.expiresAt).toBe(isTerminal(state) ? START + DEFAULT_POLICY.ttl : START + 1_000);
      });

      test(`design row 4: ${state} ${wish}`, async () => {
        const queue = await queueWith(state);
        const before = await queue.job(JOB);

        await queue.send(queue.steps.setTtl(JOB, START + 2 * lifetime));

        const expiresAt = isTerminal(state) ? before.expiresAt : START + 2 * lifetime;
        const dueAt = state === "IN_QUEUE" ? expiresAt : before.dueAt;
        expect(await queue.job(JOB)).toEqual({ ...before, expiresAt, dueAt });
      });

      test(`P13: ${state} that is over is not revived`, async () => {
        const queue = await queueWith(state);
        const before = await queue.job(JOB);
        const revive = queue.steps.setTtl(JOB, START + 2 * lifetime);

        expect(await queue.send(revive, START + lifetime)).toEqual({ accepted: false });
        expect(await queue.job(JOB)).toEqual(before);
      });

      test(`P13: ${state} can be set in its last millisecond`, async () => {
        const queue = await queueWith(state);
        const late = queue.steps.setTtl(JOB, START + 2 * lifetime);

        expect(await queue.send(late, START + lifetime - 1)).toEqual({ accepted: true });
      });
    }

    test("P13: a proved job is due at the new ttl or its execution timeout", async () => {
      const queue = await queueWith("IN_PROGRESS");
      await queue.send(queue.steps.seen(OWNER, [JOB]));
      const timeout = START + DEFAULT_POLICY.executionTimeout;

      await queue.send(queue.steps.setTtl(JOB, timeout - 1));
      expect((await queue.job(JOB)).dueAt).toBe(timeout - 1);
      await queue.send(queue.steps.setTtl(JOB, timeout + 1));
      expect((await queue.job(JOB)).dueAt).toBe(timeout);
    });

    test("P17: a longer ttl leaves the delivery lease of a job that nobody has proved", async () => {
      const queue = await queueWith("IN_PROGRESS");
      await queue.send(queue.steps.setTtl(JOB, START + 2 * DEFAULT_POLICY.ttl));

      expect((await queue.job(JOB)).dueAt).toBe(START + DELIVERY_LEASE);
    });

    test("P5: a ttl that is shorter than the lease for a while leaves the lease as it was", async () => {
      const queue = await queueWith("IN_PROGRESS");
      await queue.send(queue.steps.setTtl(JOB, START + DELIVERY_LEASE - 5_000));
      await queue.send(queue.steps.setTtl(JOB, START + DEFAULT_POLICY.ttl));

      expect((await queue.job(JOB)).dueAt).toBe(START + DELIVERY_LEASE);
    });

    test("P10: a retry starts the original ttl, not the one that was set", async () => {
      const queue = await queueWith("IN_PROGRESS");
      await queue.send(queue.steps.setTtl(JOB, START + 5_000));
      await queue.send(queue.steps.finish("fail", JOB));
      await queue.send(queue.steps.retry(JOB, 2), START + 100);

      expect((await queue.job(JOB)).expiresAt).toBe(START + 100 + DEFAULT_POLICY.ttl);
    });

    test.each([
      [RUN_RETENTION - 1, RUN_RETENTION],
      [RUN_RETENTION + 1, RUN_RETENTION + 1],
    ])("design row 24: a job that ends with a retention of %d ms stays for %d", async (given, stays) => {
      const ends = [
        (queue: Queue) => queue.steps.finish("complete", JOB, { retention: given }),
        (queue: Queue) => queue.steps.finish("timeOut", JOB, { retention: given }),
        (queue: Queue) => queue.steps.cancel(JOB, given),
      ];
      for (const end of ends) {
        const queue = await queueWith("IN_PROGRESS");
        await queue.send(end(queue), START + 5);

        expect((await queue.job(JOB)).dueAt).toBe(START + 5 + stays);
      }
    });

    test("T1: a job that is not there has no ttl", async () => {
      const queue = await queueOn(store());

      expect(await queue.send(queue.steps.setTtl("nothing", START + 1_000))).toEqual({ accepted: false });
    });

    async function queueWith(state: JobState): Promise<Queue> {
      const queue = await queueOn(store());
      await queue.sendAll(stepsInto(state, queue.steps, JOB));
      return queue;
    }
  });
}
