import type { Job } from "../../src/domain/job.ts";
import type { Payload } from "../../src/domain/payload.ts";
import type { Answers, Step } from "../../src/store/steps.ts";
import type { Store } from "../../src/store/store.ts";
import { type Steps, stepsOf } from "../model/steps.ts";
import { type CrashOrder, jobName } from "./crash-order.ts";
import { withoutPayloads } from "./gist.ts";
import { record } from "./history.ts";
import { bytesOf, type NamedPayload } from "./named-payload.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** A store whose calls are recorded. Their payloads are named; the store gets the bytes. */
export interface RecordedStore {
  readonly steps: Steps;
  /** The answers, or undefined when the store has thrown. */
  call<const S extends readonly Step[]>(...steps: S): Promise<Answers<S> | undefined>;
  due(limit: number): Promise<Job[]>;
  silent(silence: number, limit: number): Promise<Job[]>;
  now(): number;
  newJob(): string;
  /** A job made not long ago, by whomever. */
  someJob(random: SeededRandom): string;
  newPosition(): number;
}

const RECENT_JOBS = 60;

export function recordedStore(store: Store, order: CrashOrder): RecordedStore {
  let { now, call: calls, job: jobs, position: positions } = order;

  async function written(payload: Payload): Promise<Payload> {
    // All payloads of these steps are names.
    return store.writePayload(bytesOf(payload as NamedPayload));
  }

  /** The step as the store takes it. */
  async function real(step: Step): Promise<Step> {
    if (step.step === "append") return { ...step, chunks: await Promise.all(step.chunks.map(written)) };
    if (step.step === "progress") return { ...step, value: await written(step.value) };
    if (step.step === "enqueue") {
      return { ...step, body: await written(step.body), secret: step.secret && (await written(step.secret)) };
    }
    if (step.step === "finish") {
      const { output, error } = step;
      return { ...step, output: output && (await written(output)), error: error && (await written(error)) };
    }
    return step;
  }

  return {
    steps: stepsOf(order.endpoint),

    async call<const S extends readonly Step[]>(...steps: S) {
      const sent = await Promise.all(steps.map(real));
      const call = calls++;
      // Nothing may come between these two: the order of invocation is the order in which the store got them.
      record({ event: "invoke", call, now, steps });
      const answer = store.apply(sent, now++);
      try {
        const answers = await answer;
        record({ event: "ok", call, answers: answers.map(withoutPayloads) });
        await discardRefused(store, sent, answers);
        // The answers stand in the order of the steps.
        return answers as unknown as Answers<S>;
      } catch (error) {
        record({ event: "fail", call, error: String(error) });
        return undefined;
      }
    },

    due: (limit) => store.due(now, limit),
    async silent(silence, limit) {
      return (await store.silent(now - silence, limit)).map(({ job }) => job);
    },
    now: () => now,
    newJob: () => jobName(jobs++),
    someJob: (random) => jobName(Math.max(0, jobs - random.integer(1, RECENT_JOBS))),
    newPosition: () => positions++,
  };
}

/** Payloads of a step that was refused belong to nobody. */
async function discardRefused(
  store: Store,
  steps: readonly Step[],
  answers: readonly unknown[],
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const answer = answers[index];
    if (typeof answer !== "object" || answer === null || !("accepted" in answer) || answer.accepted) continue;
    for (const payload of payloadsOf(step)) await store.discardPayload(payload);
  }
}

function payloadsOf(step: Step): Payload[] {
  if (step.step === "append") return [...step.chunks];
  if (step.step === "progress") return [step.value];
  if (step.step !== "finish") return [];
  return [step.output, step.error].filter((payload) => payload !== undefined);
}
