import { ForebayError, PayloadDamaged } from "../domain/errors.ts";
import type { TakenJob } from "../domain/job.ts";

import { retentionNow } from "./job-times.ts";
import type { HeldTake } from "./take.ts";
import { withdraw, withdrawAfterError, type Withdrawing } from "./withdraw.ts";

/** The error that the client and the webhook get. */
const DAMAGED_INPUT = "the stored input of this job is damaged and cannot be read; submit the job again";

/**
 * Renders jobs that were just handed out for the response that carries them, and answers those that it
 * carries. A job whose stored input is damaged fails at once, and alone. A job that cannot be read right now
 * goes back to the queue; if there is no other one, its error is thrown. If the caller has gone, or anything
 * else fails, all of them go back.
 */
export async function carryJobs<Rendered>(
  engine: Withdrawing,
  { worker, signal }: Pick<HeldTake, "worker" | "signal">,
  jobs: readonly TakenJob[],
  render: (job: TakenJob) => Rendered | Promise<Rendered>,
): Promise<readonly Rendered[]> {
  const carried: { readonly job: TakenJob; readonly rendered: Rendered }[] = [];
  const unread: TakenJob[] = [];
  let failure: unknown;
  try {
    for (const job of jobs) {
      try {
        const rendering = render(job);
        carried.push({ job, rendered: rendering instanceof Promise ? await rendering : rendering });
      } catch (error) {
        if (error instanceof PayloadDamaged) await failDamaged(engine, worker.endpoint, job, error);
        else if (!isGone(error)) {
          failure = error;
          unread.push(job);
        }
      }
    }
    if (unread.length > 0) await withdraw(engine, worker, unread, "unread");
  } catch (error) {
    await withdrawAfterError(engine, worker, jobs);
    throw error;
  }
  if (signal.aborted) {
    await withdraw(
      engine,
      worker,
      carried.map(({ job }) => job),
    );
    return [];
  }
  if (carried.length === 0 && failure !== undefined) throw failure;
  // That there is no room for all of them is nothing to be mended.
  if (failure !== undefined && !isOverload(failure))
    engine.log.error("jobs could not be read", causeOf(failure, unread));
  return carried.map(({ rendered }) => rendered);
}

/** Its row was removed after the hand-out. */
function isGone(error: unknown): boolean {
  return error instanceof ForebayError && error.code === "JOB_NOT_FOUND";
}

function isOverload(error: unknown): boolean {
  return error instanceof ForebayError && error.code === "OVERLOADED";
}

function causeOf(failure: unknown, unread: readonly TakenJob[]) {
  const cause = failure instanceof Error ? (failure.cause ?? failure) : failure;
  return { jobs: unread.map(({ id }) => id).join(" "), error: String(cause) };
}

async function failDamaged(
  engine: Withdrawing,
  endpoint: string,
  { id, attempt }: TakenJob,
  { where }: PayloadDamaged,
): Promise<void> {
  engine.log.error("the stored input of a job is damaged, so the job has failed", {
    endpoint,
    job: id,
    where,
    advice: "Check the disk. `forebay doctor` lists all damaged files.",
  });
  const finish = {
    step: "finish",
    event: "giveUp",
    endpoint,
    id,
    worker: undefined,
    attempt,
    output: undefined,
    error: new TextEncoder().encode(JSON.stringify(DAMAGED_INPUT)),
    retention: retentionNow(engine, endpoint, id),
    end: { outcome: "RETURNED", error: DAMAGED_INPUT, exit: undefined },
  } as const;
  await engine.store.apply([finish], engine.clock.now());
}
