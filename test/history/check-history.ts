import { wrongAttempts } from "./attempts.ts";
import { wrongChunks } from "./chunks.ts";
import { type Faults, merged } from "./faults.ts";
import type { HistoryEvent } from "./history.ts";
import { notLinearizable } from "./linearize.ts";
import { eventsOf, type JobHistory, jobHistories } from "./job-history.ts";
import { wrongMoves } from "./moves.ts";
import { strangers } from "./strangers.ts";
import { wrongWebhooks } from "./webhooks.ts";

/** The verdict on a history, in the words of Jepsen's total-queue checker. */
export interface Verdict {
  /** Submissions whose answer has the id of a job. */
  readonly acknowledged: number;
  /** Submissions without an answer. */
  readonly unknown: number;
  /** Of these, those that are jobs: legal. */
  readonly recovered: number;
  /** Each list must be empty. */
  readonly faults: Faults;
}

/**
 * Looks for whatever a server that keeps its promises cannot have done. The history must end with a final
 * look at each job, when nothing waits or runs any more.
 */
export function checkHistory(events: readonly HistoryEvent[]): Verdict {
  const submissions = eventsOf(events, "submission");
  const jobs = jobHistories(events);
  const isUnknown = ({ outcome }: { readonly outcome: string }): boolean => outcome === "unknown";
  return {
    acknowledged: submissions.filter(({ outcome }) => outcome === "acknowledged").length,
    unknown: submissions.filter(isUnknown).length,
    recovered: new Set(jobs.map(({ submission }) => submission).filter(isUnknown)).size,
    faults: merged([strangers(events, jobs), ...jobs.map(faultsOf)]),
  };
}

function faultsOf(job: JobHistory): Partial<Faults> {
  return merged([
    wrongMoves(job),
    wrongAttempts(job),
    wrongChunks(job),
    wrongWebhooks(job),
    notLinearizable(job),
  ]);
}
