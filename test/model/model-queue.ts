import { sizeOf } from "../../src/domain/payload.ts";
import type { Step } from "../../src/store/steps.ts";
import type { Counts } from "../../src/store/store.ts";
import type { ModelJob } from "./model-job.ts";
import { holderOf, type Outcome, outcomesOf, THROWS } from "./model-outcomes.ts";
import { isOneJobStep, isOtherStep, type OneJobStep } from "./steps.ts";

/** All jobs of one endpoint as the contract describes them. */
export interface ModelQueue {
  /** Runs one step, as the only one of its call; its answer, or `THROWS`. */
  apply(step: Step, now: number): unknown;
  job(id: string): ModelJob | undefined;
  jobs(): ModelJob[];
  counts(): Counts;
}

export function modelQueue(): ModelQueue {
  const jobs = new Map<string, ModelJob>();
  const events = { completed: 0, failed: 0, retried: 0, ignored: 0 };

  function settle(id: string, { job, says }: Outcome): unknown {
    if (job === undefined) jobs.delete(id);
    else jobs.set(id, job);
    return says;
  }

  function each(step: Step, now: number): [string, readonly Outcome[]][] {
    return inOrder([...jobs.values()]).map((job) => [job.id, outcomesOf(job.id, job, step, now)]);
  }

  /** The first `limit` jobs that the step can choose are chosen. */
  function choose(step: Step, now: number, limit: number): unknown[] {
    return each(step, now)
      .filter(([, outcomes]) => outcomes.length > 1)
      .slice(0, limit)
      .map(([id, [outcome]]) => (outcome === undefined ? undefined : settle(id, outcome)));
  }

  function applyToOne(step: OneJobStep, now: number) {
    const before = jobs.get(step.id);
    const [outcome] = outcomesOf(step.id, before, step, now);
    if (outcome === undefined || outcome.says === THROWS) return THROWS;
    const says = settle(step.id, outcome);
    const { state } = outcome.job ?? {};
    const hasEnded = before?.endedAt === undefined && outcome.job?.endedAt !== undefined;
    if (hasEnded && state === "COMPLETED") events.completed++;
    if (hasEnded && (state === "FAILED" || state === "TIMED_OUT")) events.failed++;
    if (before && before.state !== "IN_QUEUE" && state === "IN_QUEUE") {
      if (step.step === "retry" || (outcome.job?.losses ?? 0) > before.losses) events.retried++;
    }
    const isReport =
      step.step === "append" ||
      step.step === "progress" ||
      (step.step === "finish" && step.worker !== undefined);
    if (isReport && !isAccepted(says) && !hasEnded) events.ignored++;
    return says;
  }

  return {
    apply(step, now) {
      if (isOneJobStep(step)) return applyToOne(step, now);
      if (isOtherStep(step)) throw new TypeError(`the model of a queue knows no ${step.step}`);
      switch (step.step) {
        case "take":
          return choose(step, now, step.count);
        case "purge":
          return { ids: choose(step, now, step.limit) };
        case "forget":
          return { count: choose(step, now, step.limit).length };
        case "seen": {
          const all = [...jobs.values()];
          const isOnly = all.filter((job) => holderOf(job) === step.worker).length === 1;
          const said = inOrder(all).map((job) => {
            const [outcome] = outcomesOf(job.id, job, step, now, isOnly);
            return outcome && settle(job.id, outcome);
          });
          return { denied: said.filter((row) => row !== undefined) };
        }
      }
    },

    job: (id) => jobs.get(id),
    jobs: () => inOrder([...jobs.values()]),

    counts() {
      const queued = [...jobs.values()].filter((job) => job.state === "IN_QUEUE");
      const running = [...jobs.values()].filter((job) => job.state === "IN_PROGRESS");
      return {
        queued: queued.length,
        queuedLowPriority: queued.filter((job) => job.lowPriority).length,
        queuedBytes: queued.reduce((sum, job) => sum + bytesOf(job), 0),
        running: running.length,
        ...events,
      };
    },
  };
}

/** What was submitted of it. */
function bytesOf({ body, secret }: ModelJob): number {
  return sizeOf(body) + (secret === undefined ? 0 : sizeOf(secret));
}

function inOrder(jobs: ModelJob[]): ModelJob[] {
  return jobs.toSorted((a, b) => a.position - b.position);
}

function isAccepted(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "accepted" in answer && answer.accepted === true;
}
