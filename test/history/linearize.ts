import type { Faults } from "./faults.ts";
import type { JobHistory } from "./job-history.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { type Part, START } from "./part.ts";
import { type Grants, isRetryable, type Register, unseen } from "./register.ts";

/** States of the search after which it gives up: that is a fault, not a pass. */
const SEARCH_LIMIT = 500_000;

/** Operations that a fault lists. */
const SHOWN = 100;

/**
 * Looks for an order of all that happened to a job that explains each answer: every operation between its
 * times, those of unknown outcome later or never (the search of Wing and Gong, which remembers where it was,
 * as Lowe's does).
 */
export function notLinearizable(job: JobHistory, limit = SEARCH_LIMIT): Pick<Faults, "notLinearizable"> {
  const { mayTimeOut = false, mayExpire = false } = job.submission;
  const operations = operationsOf(job);
  const why = new Search(operations, { mayTimeOut, mayExpire }).failure(limit);
  if (why === undefined) return { notLinearizable: [] };
  const all = operations.map(({ what, isOptional, from, to }) =>
    isOptional ? `perhaps ${what} (from ${from})` : `${what} (${from} to ${to})`,
  );
  return { notLinearizable: [`job ${job.id}: ${why}. Seen: ${all.slice(0, SHOWN).join("; ")}`] };
}

class Search {
  /** In the order of their calls. */
  readonly #due: readonly Operation[];
  readonly #optional: readonly Operation[];
  /** For each of the optional ones the one before it in its group. */
  readonly #before: readonly number[];
  readonly #grants: Grants;
  readonly #visited = new Map<string, Part[]>();
  #count = 0;
  #furthest = { count: -1, why: "" };

  constructor(operations: readonly Operation[], grants: Grants) {
    this.#due = operations.filter(({ isOptional }) => !isOptional);
    this.#optional = operations.filter(({ isOptional }) => isOptional);
    this.#before = this.#optional.map(({ group }, index) =>
      this.#optional.findLastIndex((other, at) => at < index && other.group === group),
    );
    this.#grants = grants;
  }

  /** Why there is no such order; undefined: there is one. */
  failure(limit: number): string | undefined {
    const open = [START];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const part = this.#afterReads(next);
      if (this.#wasHere(part)) continue;
      if (++this.#count > limit) {
        return `the search found no answer in ${limit} states (${this.#furthest.why})`;
      }
      const deadline = this.#deadlineOf(part);
      if (deadline === undefined) return undefined;
      this.#note(part, deadline);
      open.push(...this.#nextOf(part, deadline));
    }
    return `no order explains it: ${this.#furthest.why}`;
  }

  #wasHere(part: Part): boolean {
    const key = part.key();
    const before = this.#visited.get(key) ?? [];
    if (before.some((other) => other.isAtLeast(part))) return true;
    this.#visited.set(key, [...before.filter((other) => !part.isAtLeast(other)), part]);
    return false;
  }

  #note({ count, job }: Part, { what, from, to }: Operation): void {
    if (count <= this.#furthest.count) return;
    const why = `${what} (${from} to ${to}) cannot follow ${job.phase} at attempt ${job.attempt}`;
    this.#furthest = { count, why };
  }

  #nextOf(part: Part, { to }: Operation): Part[] {
    const states = unseen(part.job, this.#grants);
    const next: Part[] = [];
    for (const [index, operation] of this.#optional.entries()) {
      const before = this.#before[index] ?? -1;
      if (operation.from > to || part.isUsed(index) || (before >= 0 && !part.isUsed(before))) continue;
      for (const after of outcomes(operation, states)) next.push(part.using(index, after));
    }
    // The last ones are tried first: those that must have a place.
    for (const index of this.#window(part, to)) {
      const operation = this.#due[index];
      if (operation === undefined) continue;
      for (const after of outcomes(operation, states)) next.push(part.placing(index, after));
    }
    return next;
  }

  /** Operations without a place that began before `until`. */
  *#window(part: Part, until: number): Generator<number> {
    for (let index = part.floor; index < this.#due.length; index++) {
      if ((this.#due[index]?.from ?? Infinity) > until) return;
      if (!part.isPlaced(index)) yield index;
    }
  }

  /** The operation that must have its place first; undefined: all have theirs. */
  #deadlineOf(part: Part): Operation | undefined {
    let first: Operation | undefined;
    for (let index = part.floor; index < this.#due.length; index++) {
      const operation = this.#due[index];
      if (operation === undefined || (first !== undefined && operation.from > first.to)) break;
      if (!part.isPlaced(index) && (first === undefined || operation.to < first.to)) first = operation;
    }
    return first;
  }

  /** Places what can stand here and changes nothing: if it can stand later, it can stand here too. */
  #afterReads(start: Part): Part {
    let part = start;
    const isSettled = isOver(part.job) && !this.#hasRetry(part);
    const canStand = ({ isRead, apply }: Operation): boolean =>
      (isRead || isSettled) && apply(part.job) === part.job;
    for (let deadline = this.#deadlineOf(part); deadline !== undefined; deadline = this.#deadlineOf(part)) {
      const fit = [...this.#window(part, deadline.to)].filter((index) => {
        const operation = this.#due[index];
        return operation !== undefined && canStand(operation);
      });
      if (fit.length === 0) break;
      for (const index of fit) part = part.placing(index, part.job);
    }
    return part;
  }

  #hasRetry(part: Part): boolean {
    return (
      this.#due.some(({ isRetry }, index) => isRetry && !part.isPlaced(index)) ||
      this.#optional.some(({ isRetry }, index) => isRetry && !part.isUsed(index))
    );
  }
}

function outcomes(operation: Operation, states: readonly Register[]): Register[] {
  return states.flatMap((job) => operation.apply(job) ?? []);
}

/** Whether no operation but a retry can change it. */
function isOver(job: Register): boolean {
  return isRetryable(job) || job.phase === "COMPLETED" || job.phase === "CANCELLED" || job.phase === "gone";
}
