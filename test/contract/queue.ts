import type { JobRecord } from "../../src/domain/job.ts";
import type { Payload } from "../../src/domain/payload.ts";
import type { Answers, Step, StepAnswers } from "../../src/store/steps.ts";
import type { Store } from "../../src/store/store.ts";
import { endpointRecord } from "../model/endpoint-record.ts";
import { type Steps, stepsOf } from "../model/steps.ts";

/** The time at which tests begin: steps that name no other time happen then. */
export const START = 1_800_000_000_000;

/** One endpoint of a store. */
export interface Queue {
  readonly store: Store;
  readonly endpoint: string;
  readonly steps: Steps;
  /** Applies one step; its answer. */
  send<const S extends Step>(step: S, now?: number): Promise<StepAnswers[S["step"]]>;
  /** Applies several steps as one call. */
  sendAll<const S extends readonly Step[]>(steps: S, now?: number): Promise<Answers<S>>;
  /** The job, which must be there. */
  job(id: string): Promise<JobRecord>;
  /** The chunks of the job from number `from` on, read without consuming; none when it is not there. */
  chunks(id: string, from?: number): Promise<readonly Payload[]>;
}

let endpoints = 0;

/** Makes a new endpoint, which no other test uses. */
export async function queueOn(store: Store): Promise<Queue> {
  const endpoint = `endpoint-${++endpoints}`;
  await store.apply([{ step: "put", record: endpointRecord(endpoint) }], START);
  const steps = stepsOf(endpoint);
  return {
    store,
    endpoint,
    steps,
    async send(step, now = START) {
      const [answer] = await store.apply([step], now);
      return answer;
    },
    sendAll: (steps, now = START) => store.apply(steps, now),
    async job(id) {
      const job = await store.job(endpoint, id);
      if (job === undefined) throw new Error(`job ${id} is not there`);
      return job;
    },
    async chunks(id, from = 0) {
      const [answer] = await store.apply([steps.drain(id, { from })], START);
      return answer?.chunks ?? [];
    },
  };
}
