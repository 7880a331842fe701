import { ForebayError, storageFull } from "../../src/domain/errors.ts";
import { namedBy } from "../../src/store/named-payloads.ts";
import type { Purge, Step } from "../../src/store/steps.ts";
import type { Store } from "../../src/store/store.ts";
import type { Process } from "./agenda.ts";
import type { Weather } from "./weather.ts";

/** At which moment of its next commit a server is to crash. */
export type CrashPoint = "before commit" | "inside commit" | "after commit" | "after payload";

export interface FaultyStoreParts {
  readonly process: Process;
  readonly weather: Weather;
  /** Resolves when the process runs: at once, unless it is paused. */
  readonly running: () => Promise<void>;
  readonly applying: (steps: readonly Step[]) => void;
  readonly purged: (step: Purge, ids: readonly string[]) => void;
  /** Called at each such moment; true when the server has crashed there. */
  readonly reached: (point: CrashPoint) => boolean;
}

/** The process has ended: nobody gets an answer any more. */
const NEVER = new Promise<never>(() => undefined);

/** Calls of these names begin or end what a server has open, and do not fail. */
const SPARED = new Set(["onSignals", "close"]);

/** A store as one server sees it, with the faults of a disk, a database and the server's own end. */
export function faultyStore(store: Store, parts: FaultyStoreParts): Store {
  const { shared } = store;
  const faulty = withFaults(store, parts);
  const wrapped: Store = {
    ...faulty,
    shared: shared === undefined ? undefined : withFaults(shared, parts),
    // One signature for each list of steps: this passes any through.
    apply: (steps, now) => commit(steps, () => store.apply(steps, now)),
    async writePayload(bytes) {
      const payload = await faulty.writePayload(bytes);
      if (payload !== bytes && parts.reached("after payload")) return NEVER;
      return payload;
    },
  };
  return wrapped;

  async function commit<Answer>(steps: readonly Step[], apply: () => Promise<Answer>): Promise<Answer> {
    const { process, weather, reached } = parts;
    if (process.isGone || reached("before commit")) return NEVER;
    if (weather.strikes("disk full")) {
      for (const payload of steps.flatMap(namedBy)) await store.discardPayload(payload);
      throw storageFull();
    }
    const isUnknown = weather.strikes("commit unknown");
    if (isUnknown && steps.length % 2 === 0) throw unavailable();
    parts.applying(steps);
    const answer = await apply();
    if (process.isGone) return NEVER;
    for (const [index, step] of steps.entries())
      if (step.step === "purge") parts.purged(step, idsIn(answer, index));
    await parts.running();
    if (isUnknown) throw unavailable();
    return answer;
  }
}

function withFaults<Part extends object>(part: Part, parts: FaultyStoreParts): Part {
  const { process, weather, running } = parts;
  return new Proxy(part, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function" || typeof name !== "string" || SPARED.has(name)) return member;
      return async (...given: unknown[]): Promise<unknown> => {
        if (process.isGone) return NEVER;
        if (weather.strikes("read fails")) throw unavailable();
        const answer: unknown = await Reflect.apply(member, target, given);
        if (process.isGone) return NEVER;
        await running();
        return answer;
      };
    },
    ownKeys: (target) => Reflect.ownKeys(target),
  });
}

function unavailable(): ForebayError {
  return new ForebayError("STORAGE_UNAVAILABLE", "The simulated database does not answer.");
}

function idsIn(answers: unknown, index: number): readonly string[] {
  const answer: unknown = Array.isArray(answers) ? answers[index] : undefined;
  if (typeof answer !== "object" || answer === null || !("ids" in answer)) return [];
  return Array.isArray(answer.ids) ? answer.ids.map(String) : [];
}
