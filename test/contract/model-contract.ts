import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Step } from "../../src/store/steps.ts";
import { THROWS } from "../model/model-outcomes.ts";
import { recordOf, timelineOf } from "../model/model-row.ts";
import { type ModelQueue, modelQueue } from "../model/model-queue.ts";
import { answered } from "./answered.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { type Queue, queueOn, START } from "./queue.ts";
import { property } from "./property.ts";
import { JOB_IDS, randomCommand, stepOfCommand } from "./random-command.ts";

/** Long random sequences of steps, one after the other, on the store and on the model of it. */
export function modelContract(open: OpenStore): void {
  describe("model", () => {
    const store = sharedStore(open);

    test("P2, P4, P7 to P10: every answer, row, chunk and counter is that of the model", async () => {
      await property(fc.array(randomCommand, { maxLength: 100, size: "max" }), 100, async (commands) => {
        const queue = await queueOn(store());
        const model = modelQueue();
        let now = START;
        for (const [index, command] of commands.entries()) {
          now += command.wait;
          const step = stepOfCommand(command, queue.steps, model.job, 1_000 + index, now);

          const answer: unknown = await answered(queue.send(step, now));
          const expected = model.apply(step, now);

          // Jobs of other endpoints are forgotten as well: the number says nothing here, the rows do.
          if (step.step !== "forget") expect(answer).toEqual(expected);
          await expectSame(queue, model);
        }
      });
    }, 180_000);

    test("P2, 4a: steps of one call give the same answers and rows as one after the other", async () => {
      await property(fc.array(randomCommand, { maxLength: 100, size: "max" }), 40, async (commands) => {
        const queue = await queueOn(store());
        const model = modelQueue();
        let now = START;
        let call: { readonly step: Step; readonly expected: unknown }[] = [];
        const send = async (): Promise<void> => {
          const answers: readonly unknown[] = await queue.sendAll(
            call.map(({ step }) => step),
            now,
          );
          for (const [index, { step, expected }] of call.entries()) {
            if (step.step !== "forget") expect(answers[index]).toEqual(expected);
          }
          call = [];
          await expectSame(queue, model);
        };
        for (const [index, command] of commands.entries()) {
          // Those between which no time passes share a call.
          if (command.wait > 0) await send();
          now += command.wait;
          const step = stepOfCommand(command, queue.steps, model.job, 1_000 + index, now);
          const expected = model.apply(step, now);
          // One that throws would undo the others.
          if (expected !== THROWS) {
            call.push({ step, expected });
            continue;
          }
          await send();
          expect(await answered<unknown>(queue.send(step, now))).toBe(THROWS);
        }
        await send();
      });
    }, 180_000);

    async function expectSame(queue: Queue, model: ModelQueue): Promise<void> {
      for (const id of JOB_IDS) {
        const job = model.job(id);
        expect(await store().job(queue.endpoint, id)).toEqual(job && recordOf(job));
        const jobs = model.jobs();
        expect(await store().timeline(queue.endpoint, id, 2)).toEqual(job && timelineOf(job, jobs, 2));
        expect(await queue.chunks(id)).toEqual(job?.chunks ?? []);
      }
      expect(await store().counts(queue.endpoint)).toEqual(model.counts());
    }
  });
}
