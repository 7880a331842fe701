import type { Step } from "../../src/store/steps.ts";
import type { ModelJob } from "../model/model-job.ts";
import { type Outcome, outcomesOf, THROWS } from "../model/model-outcomes.ts";
import { gistOf, saidOf } from "./gist.ts";
import type { Call } from "./history.ts";

/** One way in which things may have gone for a job, and which calls of unknown outcome it takes for done. */
export interface Branch {
  readonly job: ModelJob | undefined;
  readonly assumed: ReadonlyMap<number, boolean>;
}

/** What may be true of each job, after all that callers have seen. */
export interface Belief {
  /** Takes a call into account; what is wrong with its answers. */
  learn(call: Call): string[];
  branches(id: string): readonly Branch[];
  ids(): string[];
  /** The job has been looked at: only these branches are left, and nothing is assumed any more. */
  settle(id: string, branches: readonly Branch[]): void;
}

const NOTHING_YET: readonly Branch[] = [{ job: undefined, assumed: new Map() }];

export function belief(): Belief {
  const jobs = new Map<string, readonly Branch[]>();

  function branches(id: string): readonly Branch[] {
    return jobs.get(id) ?? NOTHING_YET;
  }

  function concerned(step: Step): Iterable<string> {
    return "id" in step ? [step.id] : jobs.keys();
  }

  function learnAnswered({ call, now, steps }: Call, answers: readonly unknown[]): string[] {
    const faults: string[] = [];
    for (const [index, step] of steps.entries()) {
      for (const id of concerned(step)) {
        const before = branches(id);
        const said = gistOf(saidOf(step, answers[index], id));
        const after = before.flatMap(({ job, assumed }) =>
          answering(outcomesOf(id, job, step, now), step, said).map((outcome) => ({
            job: outcome.job,
            assumed,
          })),
        );
        if (after.length > 0) jobs.set(id, distinct(after));
        else faults.push(`call ${call}: no legal state of ${id} gives the answer ${said} to ${step.step}`);
      }
    }
    return faults;
  }

  /** Either all steps of the call have happened or none. */
  function learnUnknown({ call, now, steps }: Call): void {
    for (const id of new Set(steps.flatMap((step) => [...concerned(step)]))) {
      const before = branches(id);
      const after = before.flatMap((branch) => {
        const done = steps.reduce<readonly (ModelJob | undefined)[]>(
          (states, step) =>
            states.flatMap((job) =>
              outcomesOf(id, job, step, now)
                .filter(({ says }) => says !== THROWS)
                .map((outcome) => outcome.job),
            ),
          [branch.job],
        );
        const changed = done.filter((job) => job !== branch.job);
        if (changed.length === 0) return [branch];
        const assuming = (happened: boolean) => new Map(branch.assumed).set(call, happened);
        // A call that may have left the job alone is not shown to have happened, or not, by a job left alone.
        const isTelling = changed.length === done.length;
        const unchanged = isTelling ? { job: branch.job, assumed: assuming(false) } : branch;
        return [unchanged].concat(changed.map((job) => ({ job, assumed: assuming(true) })));
      });
      jobs.set(id, distinct(after));
    }
  }

  /** The store may throw only when a step of the call demands it. */
  function learnFailed({ call, now, steps, outcome }: Call): string[] {
    const isDue = steps.some((step, index) => {
      if (!("id" in step)) return false;
      const states = steps.slice(0, index).reduce<readonly (ModelJob | undefined)[]>(
        (jobs, earlier) =>
          jobs.flatMap((job) => outcomesOf(step.id, job, earlier, now).map((after) => after.job)),
        branches(step.id).map((branch) => branch.job),
      );
      return states.some((job) => outcomesOf(step.id, job, step, now).some(({ says }) => says === THROWS));
    });
    return isDue ? [] : [`call ${call} failed for no reason of its own: ${JSON.stringify(outcome)}`];
  }

  return {
    learn(call) {
      if (call.outcome.kind === "ok") return learnAnswered(call, call.outcome.answers);
      if (call.outcome.kind === "fail") return learnFailed(call);
      learnUnknown(call);
      return [];
    },

    branches,
    ids: () => [...jobs.keys()],

    settle(id, left) {
      const settled = distinct(left.map(({ job }) => ({ job, assumed: new Map() })));
      if (settled.every(({ job }) => job === undefined)) jobs.delete(id);
      else jobs.set(id, settled);
    },
  };
}

/** The outcomes that the answer speaks of. Of forgotten jobs it names none, but all there are have gone. */
function answering(outcomes: readonly Outcome[], step: Step, said: string): readonly Outcome[] {
  if (step.step === "forget") return outcomes.slice(0, 1);
  return outcomes.filter(({ says }) => gistOf(says) === said);
}

function distinct(branches: readonly Branch[]): readonly Branch[] {
  if (branches.length < 2) return branches;
  return [...new Map(branches.map((branch) => [keyOf(branch), branch])).values()];
}

function keyOf({ job, assumed }: Branch): string {
  return JSON.stringify([job, [...assumed]]);
}
