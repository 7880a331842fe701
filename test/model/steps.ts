import type { AttemptEnd } from "../../src/domain/attempt.ts";
import type { Payload } from "../../src/domain/payload.ts";
import { DEFAULT_POLICY, RUN_RETENTION } from "../../src/domain/policy.ts";
import type { EndEvent } from "../../src/domain/transitions.ts";
import type { Enqueue } from "../../src/store/enqueue-step.ts";
import type { NoteColdStart } from "../../src/store/measurement-steps.ts";
import type {
  Append,
  Cancel,
  ChunkLimit,
  Drain,
  Finish,
  GiveBack,
  Progress,
  Purge,
  Retry,
  Seen,
  SetTtl,
  Shown,
  Step,
  Take,
} from "../../src/store/steps.ts";

/** How long a hand-out waits for proof of receipt, where a test does not say. */
export const DELIVERY_LEASE = 10_000;

export const EMPTY_BODY: Payload = new TextEncoder().encode('{"input":{}}');

/** How an attempt ended, where a test does not say. */
export const UNDELIVERED: AttemptEnd = {
  outcome: "UNDELIVERED",
  error: "no worker confirmed that it received the job",
  exit: undefined,
};

/** The steps on the jobs of one endpoint; members that a test does not care about are filled in. */
export interface Steps {
  enqueue(id: string, position: number, given?: Partial<Enqueue>): Enqueue;
  take(worker: string, given?: Partial<Take>): Take;
  /** Without a worker it is the server itself that ends the job. */
  finish(event: EndEvent, id: string, given?: Partial<Finish>): Finish;
  append(
    id: string,
    worker: string,
    chunks: readonly Payload[],
    attempt?: number,
    limit?: ChunkLimit,
  ): Append;
  progress(id: string, worker: string, value: Payload, attempt?: number): Progress;
  /** Of a worker that pings, by another call than a ping, where a test does not say. */
  seen(
    worker: string,
    shown: Shown | readonly string[],
    deniableBefore?: number,
    given?: Partial<Seen>,
  ): Seen;
  giveBack(id: string, attempt: number, given?: Partial<GiveBack>): GiveBack;
  cancel(id: string, retention?: number): Cancel;
  retry(id: string, position: number, barUntil?: number, reporter?: string, error?: Retry["error"]): Retry;
  noteColdStart(id: string, attempt: number, wantedAt: number): NoteColdStart;
  setTtl(id: string, at: number): SetTtl;
  /** Without `from` a read that consumes. */
  drain(id: string, given?: Partial<Drain>): Drain;
  purge(position?: number, limit?: number): Purge;
}

export function stepsOf(endpoint: string): Steps {
  return {
    enqueue: (id, position, given) => ({
      step: "enqueue",
      endpoint,
      id,
      position,
      body: EMPTY_BODY,
      secret: undefined,
      policy: DEFAULT_POLICY,
      retention: RUN_RETENTION,
      ...given,
    }),
    take: (worker, given) => ({
      step: "take",
      endpoint,
      worker,
      count: 1,
      deliveryLease: DELIVERY_LEASE,
      ...given,
    }),
    finish: (event, id, given) => ({
      step: "finish",
      event,
      endpoint,
      id,
      worker: undefined,
      attempt: undefined,
      output: undefined,
      error: undefined,
      retention: 0,
      ...given,
    }),
    append: (id, worker, chunks, attempt, limit) => ({
      step: "append",
      endpoint,
      id,
      worker,
      attempt,
      chunks,
      limit,
    }),
    progress: (id, worker, value, attempt) => ({ step: "progress", endpoint, id, worker, attempt, value }),
    seen: (worker, shown, deniableBefore = 0, given) => ({
      step: "seen",
      endpoint,
      worker,
      call: "call",
      pings: true,
      shown: "kind" in shown ? shown : { kind: "these", ids: shown },
      deniableBefore,
      ...given,
    }),
    giveBack: (id, attempt, given) => ({
      step: "giveBack",
      endpoint,
      id,
      attempt,
      losses: 0,
      undelivered: 0,
      barUntil: 0,
      end: UNDELIVERED,
      ...given,
    }),
    cancel: (id, retention = 0) => ({ step: "cancel", endpoint, id, retention }),
    noteColdStart: (id, attempt, wantedAt) => ({
      step: "noteColdStart",
      endpoint,
      id,
      attempt,
      coldStart: { wantedAt, bootMs: 20 },
    }),
    retry: (id, position, barUntil = 0, reporter, error) => ({
      step: "retry",
      endpoint,
      id,
      position,
      barUntil,
      reporter,
      error,
    }),
    setTtl: (id, at) => ({ step: "setTtl", endpoint, id, at }),
    drain: (id, given) => ({
      step: "drain",
      endpoint,
      id,
      from: undefined,
      chunkLimit: 1_000,
      byteLimit: Infinity,
      ...given,
    }),
    purge: (position = Number.MAX_SAFE_INTEGER, limit = 1_000) => ({
      step: "purge",
      endpoint,
      position,
      limit,
    }),
  };
}

/** A step on one job, which it names. */
export type OneJobStep = Extract<Step, { readonly endpoint: string; readonly id: string }>;

export function isOneJobStep(step: Step): step is OneJobStep {
  return "endpoint" in step && "id" in step;
}

/** Steps that change no job. A new step belongs here, or the switches over the others do not compile. */
const OTHER_STEPS = {
  put: true,
  remove: true,
  reseal: true,
  claimDeliveries: true,
  recordDeliveries: true,
  releaseDeliveries: true,
  redeliver: true,
  forgetDeliveries: true,
  addStatistics: true,
  forgetStatistics: true,
  recordEnded: true,
  trimHistory: true,
  clearHistory: true,
} as const satisfies Partial<Record<Step["step"], true>>;

/** Whether the step is about records, webhooks, statistics or history, and changes no job. */
export function isOtherStep(step: Step): step is Extract<Step, { step: keyof typeof OTHER_STEPS }> {
  return step.step in OTHER_STEPS;
}
