import type { MemoryJob } from "../../src/store/memory/memory-job.ts";

type State = MemoryJob["state"];

/**
 * Which state can follow which in one commit, written from docs/states.md. A commit can have several moves: a
 * job that waits can be handed out and come back in one, and a retried one be cancelled.
 */
const FOLLOWS: Readonly<Record<State, readonly State[]>> = {
  IN_QUEUE: ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"],
  IN_PROGRESS: ["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"],
  FAILED: ["IN_QUEUE", "IN_PROGRESS", "CANCELLED"],
  TIMED_OUT: ["IN_QUEUE", "IN_PROGRESS", "CANCELLED"],
  COMPLETED: [],
  CANCELLED: [],
};

/** What is wrong with a change of a job, as a sentence. */
export function wrongMove(before: MemoryJob | undefined, job: MemoryJob, latest: number): string | undefined {
  const was = `${before?.state ?? "new"} (attempt ${before?.attempt ?? 0})`;
  const told = `job ${job.id} was ${was} and is ${job.state} (attempt ${job.attempt})`;
  if (job.stored.length !== job.chunks)
    return `${told}: it has ${job.stored.length} chunks and counts ${job.chunks}`;
  if (job.state === "IN_QUEUE" && job.chunks > 0) return `${told}: it waits and has chunks`;
  if (before === undefined) return job.attempt > 1 ? `${told}: it is new` : undefined;
  if (job.attempt < before.attempt) return `${told}: attempts go backwards`;
  if (before.ended_at !== null && job.state === before.state && job.attempt === before.attempt) {
    return wrongAfterEnd(before, job, told);
  }
  if (!FOLLOWS[before.state].includes(job.state)) return `${told}: no move leads there`;
  if (before.ended_at !== null && job.position <= before.position) return `${told}: it kept its place`;
  if (before.state === "IN_QUEUE" && job.state === "IN_PROGRESS" && job.attempt === before.attempt)
    return `${told}: a hand-out has no attempt of its own`;
  if (job.state === "TIMED_OUT") return wrongTimeout(job, told);
  if (job.state === "COMPLETED" && before.state === "IN_QUEUE" && job.attempt === 0)
    return `${told}: nobody has had it`;
  if (job.state === "IN_PROGRESS" && (job.taken_at ?? Infinity) > latest)
    return `${told}: it was taken in the future`;
  if (
    job.attempt > before.attempt &&
    before.chunks > 0 &&
    job.stored[0] === before.stored[0] &&
    job.chunks > 0
  )
    return `${told}: it has chunks of an earlier attempt`;
  return undefined;
}

/** What has ended changes only in who still runs it, what was read of it, and a shorter retention. */
function wrongAfterEnd(before: MemoryJob, job: MemoryJob, told: string): string | undefined {
  if (job.output !== before.output || job.error !== before.error || job.ended_at !== before.ended_at)
    return `${told}: its end has changed`;
  if (job.chunks !== before.chunks) return `${told}: it got chunks after its end`;
  return job.due_at > before.due_at ? `${told}: its retention got longer` : undefined;
}

function wrongTimeout(
  { ended_at: endedAt, taken_at: takenAt, execution_timeout: timeout, expires_at: expires }: MemoryJob,
  told: string,
): string | undefined {
  const due = Math.min(expires, takenAt === null ? Infinity : takenAt + timeout);
  return (endedAt ?? 0) < due ? `${told}: it timed out ${due - (endedAt ?? 0)} ms early` : undefined;
}
