import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { recordOf, timelineOf } from "../model/model-row.ts";
import { modelQueue } from "../model/model-queue.ts";
import { answered } from "./answered.ts";
import { type OpenStore, sharedStore } from "./opened-store.ts";
import { queueOn, START } from "./queue.ts";
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
    }, 180_000);
  });
}
