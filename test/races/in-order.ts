import type { EndEvent } from "../../src/domain/transitions.ts";
import type { Step } from "../../src/store/steps.ts";
import type { Store } from "../../src/store/store.ts";
import { until } from "../support/until.ts";

/** Names a step; of those that end a job each event is told apart. */
export type StepName = Exclude<Step["step"], "finish"> | EndEvent;

/** A call of the store that a test holds back. */
interface HeldCall {
  readonly names: readonly StepName[];
  release(): void;
}

/** Stands before the commits of a store and lets calls through when the test says so. */
export interface Gate {
  /** Resolves when a call with such a step waits here. */
  waits(step: StepName): Promise<void>;
  /** Lets the calls that wait with these steps through, in this order, into one commit. */
  pass(...steps: StepName[]): void;
  /** From here on nothing is held back, and what waits goes on. */
  open(): void;
}

/** Holds every later call of `apply` back. */
export function gateBefore(store: Store): Gate {
  const { apply } = store;
  let held: HeldCall[] = [];

  store.apply = (steps, now) =>
    new Promise((resolve, reject) => {
      const release = (): void => void apply(steps, now).then(resolve, reject);
      held.push({ names: steps.map(nameOf), release });
    });

  function find(step: StepName): HeldCall | undefined {
    return held.find(({ names }) => names.includes(step));
  }

  return {
    async waits(step) {
      await until(`a ${step} waits for its commit`, () => find(step) !== undefined);
    },
    pass(...steps) {
      for (const step of steps) {
        const call = find(step);
        if (call === undefined) throw new Error(`no ${step} waits for its commit`);
        held = held.filter((other) => other !== call);
        call.release();
      }
    },
    open() {
      store.apply = apply;
      for (const call of held) call.release();
      held = [];
    },
  };
}

function nameOf(step: Step): StepName {
  return step.step === "finish" ? step.event : step.step;
}

/** Runs calls side by side whose steps are committed in the order given; their answers. */
export async function inOrder<First, Second>(
  store: Store,
  order: readonly [StepName, StepName],
  start: () => readonly [Promise<First>, Promise<Second>],
): Promise<[First, Second]> {
  const gate = gateBefore(store);
  const answers = Promise.all(start());
  for (const step of order) await gate.waits(step);
  gate.pass(...order);
  gate.open();
  return answers;
}
