import type { AttemptEnd } from "./attempt.ts";
import type { Job } from "./job.ts";
import { isTerminal } from "./transitions.ts";

/** What must happen to a job that is due. */
export type Verdict =
  | { readonly event: "forget" }
  | { readonly event: "timeOut"; readonly reason: string }
  | { readonly event: "giveUp"; readonly reason: string }
  | { readonly event: "giveBack"; readonly losses: number; readonly undelivered: number };

/** The worker may have been gone for long: without pings only its timeout ends the job. */
const SILENT_TIMEOUT =
  "executionTimeout exceeded. The worker sends no pings, because it runs without RUNPOD_POD_ID, so the " +
  "server cannot know whether it still ran the job.";

/** Decides about a job whose `dueAt` has passed. */
export function overdue(job: Job, now: number): Verdict {
  if (isTerminal(job.state)) return { event: "forget" };
  if (job.expiresAt <= now) return { event: "timeOut", reason: "ttl exceeded" };
  if (job.takenAt !== undefined && job.takenAt + job.executionTimeout <= now) {
    return { event: "timeOut", reason: job.isSilent ? SILENT_TIMEOUT : "executionTimeout exceeded" };
  }
  return returned(job, "undelivered");
}

/** Why an attempt came back without a result. */
export type ReturnReason =
  /** No proof of receipt within the delivery lease. */
  | "undelivered"
  /** The worker hung up before it had the whole reply with the job. */
  | "aborted"
  /** Calls of the worker that should list the job do not. */
  | "denied"
  /** The worker asks for jobs and says that it has none. */
  | "dropped"
  /** The worker has been silent for longer than its lease. */
  | "silent"
  /** The worker closed its open calls and has made none but pings since. */
  | "hungUp"
  /** The host of the worker does not answer, so the worker may run or not. */
  | "hostAway"
  /** The worker's process is known to have ended. */
  | "died"
  /** The server took the job back itself: it stops the worker. */
  | "withdrawn"
  /** The response that should have carried the job was not sent. */
  | "uncarried"
  /** The server could not read what it stored for the job, and may succeed later. */
  | "unread";

/**
 * Spec 7 and design row 7: the third loss ends the job, and so does the twentieth hand-out that nobody
 * received.
 */
const MAX_LOSSES = 3;
const MAX_UNDELIVERED = 20;

const LOSS_REASONS: Record<ReturnReason, string> = {
  undelivered: "no worker confirmed that it received the job",
  aborted: "the worker hung up before it had received the job",
  denied: "the worker no longer had the job",
  dropped: "the worker no longer had the job and sent no result",
  silent: "the worker stopped answering",
  hungUp: "the worker closed its connections and made no call but pings",
  hostAway: "the host of the worker did not answer",
  died: "the worker ended",
  withdrawn: "the worker was stopped",
  uncarried: "the response with the job did not reach the worker",
  unread: "the server could not read the stored input right now",
};

/** How an attempt ended that came back; `exit` is how its worker ended, where that is known. */
export function endOfAttempt(job: Pick<Job, "proved">, reason: ReturnReason, exit?: string): AttemptEnd {
  return { outcome: outcomeOf(job, reason), error: LOSS_REASONS[reason], exit };
}

/** Reasons that count neither as a loss nor as undelivered. */
const RETURNED: ReadonlySet<ReturnReason> = new Set(["hostAway", "withdrawn", "uncarried", "unread"]);

/** Reasons that are a loss, whether or not the worker has shown that it received the job. */
const LOST: ReadonlySet<ReturnReason> = new Set(["died", "dropped", "hungUp"]);

function outcomeOf({ proved }: Pick<Job, "proved">, reason: ReturnReason): AttemptEnd["outcome"] {
  if (RETURNED.has(reason)) return "RETURNED";
  if (reason === "aborted") return "UNDELIVERED";
  return proved || LOST.has(reason) ? "LOST" : "UNDELIVERED";
}

/**
 * Decides about an attempt that came back: another one, or the end of the job, whose error says how the
 * workers ended at which it was lost, as far as that is known (`exits`).
 */
export function returned(
  job: Pick<Job, "proved" | "losses" | "undelivered">,
  reason: ReturnReason,
  exits: readonly string[] = [],
): Verdict {
  const outcome = outcomeOf(job, reason);
  if (outcome === "RETURNED") {
    return { event: "giveBack", losses: job.losses, undelivered: job.undelivered };
  }
  const isLoss = outcome === "LOST";
  const losses = job.losses + (isLoss ? 1 : 0);
  const undelivered = job.undelivered + (isLoss ? 0 : 1);
  if (losses >= MAX_LOSSES) {
    const known = exits.length === 0 ? "" : ` (${exits.join(", ")})`;
    return {
      event: "giveUp",
      reason: `the worker was lost ${losses} times, the last time because ${LOSS_REASONS[reason]}${known}`,
    };
  }
  if (undelivered >= MAX_UNDELIVERED) {
    return { event: "giveUp", reason: `handed out ${undelivered} times, and ${LOSS_REASONS[reason]}` };
  }
  return { event: "giveBack", losses, undelivered };
}
