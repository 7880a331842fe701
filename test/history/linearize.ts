import type { Faults } from "./faults.ts";
import type { JobHistory } from "./job-history.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { ABSENT, type Grants, isRetryable, keyOf, type Register, unseen } from "./register.ts";

/** States of the search after which it gives up: that is a fault, not a pass. */
const SEARCH_LIMIT = 50_000;

/** Part of an order: which operations have their places in it, and what the job is after them. */
interface Part {
  readonly placed: bigint;
  readonly job: Register;
}

/**
 * Looks for an order of all that happened to a job that explains each answer: every operation between its
 * times, those of unknown outcome later or never (the search of Wing and Gong, which remembers where it was,
 * as Lowe's does).
 */
export function notLinearizable(job: JobHistory, limit = SEARCH_LIMIT): Pick<Faults, "notLinearizable"> {
  const { mayTimeOut = false, mayExpire = false } = job.submission;
  const why = unexplained(operationsOf(job), { mayTimeOut, mayExpire }, limit);
  return { notLinearizable: why === undefined ? [] : [`job ${job.id}: ${why}`] };
}

/** Why there is no such order; undefined: there is one. */
function unexplained(operations: readonly Operation[], grants: Grants, limit: number): string | undefined {
  const visited = new Set<string>();
  const open: Part[] = [{ placed: 0n, job: ABSENT }];
  let furthest = { count: -1, why: "" };
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { placed, job } = afterReads(operations, part);
    const key = `${placed} ${keyOf(job)}`;
    if (visited.has(key)) continue;
    if (visited.size >= limit) return `the search found no answer in ${limit} states (${furthest.why})`;
    visited.add(key);
    const deadline = deadlineOf(operations, placed);
    if (deadline === undefined) return undefined;
    const count = operations.filter((_, index) => isPlaced(placed, index)).length;
    if (count > furthest.count) furthest = { count, why: describe(deadline, job) };
    for (const before of unseen(job, grants)) {
      for (const [index, operation] of operations.entries()) {
        if (operation.from > deadline.to) break;
        if (isPlaced(placed, index)) continue;
        const after = operation.apply(before);
        if (after !== undefined) open.push({ placed: placed | (1n << BigInt(index)), job: after });
      }
    }
  }
  return `no order explains it: ${furthest.why}`;
}

/** Places what can stand here and changes nothing: if it can stand later, it can stand here too. */
function afterReads(operations: readonly Operation[], { placed, job }: Part): Part {
  const isSettled = isOver(job) && !operations.some((one, index) => one.isRetry && !isPlaced(placed, index));
  let all = placed;
  for (let deadline = deadlineOf(operations, all); deadline !== undefined;) {
    const { to } = deadline;
    const index = operations.findIndex(
      (one, index) =>
        one.from <= to &&
        !one.isOptional &&
        !isPlaced(all, index) &&
        (one.isRead || isSettled) &&
        one.apply(job) === job,
    );
    if (index < 0) break;
    all |= 1n << BigInt(index);
    deadline = deadlineOf(operations, all);
  }
  return { placed: all, job };
}

/** Whether no operation but a retry can change it. */
function isOver(job: Register): boolean {
  return isRetryable(job) || job.phase === "COMPLETED" || job.phase === "CANCELLED" || job.phase === "gone";
}

/** The operation that must have its place first; undefined: all have theirs. */
function deadlineOf(operations: readonly Operation[], placed: bigint): Operation | undefined {
  let first: Operation | undefined;
  for (const [index, operation] of operations.entries()) {
    if (operation.isOptional || isPlaced(placed, index)) continue;
    if (first === undefined || operation.to < first.to) first = operation;
  }
  return first;
}

function isPlaced(placed: bigint, index: number): boolean {
  return ((placed >> BigInt(index)) & 1n) === 1n;
}

function describe({ what, from, to }: Operation, { phase, attempt }: Register): string {
  return `${what} (${from} to ${to}) cannot follow ${phase} at attempt ${attempt}`;
}
