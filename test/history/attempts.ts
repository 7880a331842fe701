import type { Faults } from "./faults.ts";
import { isBefore, type Report, type Span } from "./history.ts";
import type { JobHistory } from "./job-history.ts";

/**
 * Attempts that were handed out or ended twice, or that came after a later one, and runs of which two results
 * were accepted: only a retry begins another run.
 */
export function wrongAttempts(job: JobHistory): Partial<Faults> {
  return { duplicated: [...handedOutTwice(job), ...endedTwice(job)] };
}

interface Moment extends Span {
  readonly attempt: number;
}

function handedOutTwice({ id, handOuts }: JobHistory): string[] {
  const wrong: string[] = [];
  const seen: Moment[] = [];
  for (const { attempt, ...span } of handOuts) {
    if (attempt === undefined) continue;
    const moment = { attempt, ...span };
    for (const other of seen) {
      if (other.attempt === attempt) wrong.push(`attempt ${attempt} of job ${id} was handed out twice`);
      else if (isLate(moment, other) || isLate(other, moment))
        wrong.push(
          `attempts ${attempt} and ${other.attempt} of job ${id} were handed out in the wrong order`,
        );
    }
    seen.push(moment);
  }
  return wrong;
}

function endedTwice(job: JobHistory): string[] {
  const { id, reports } = job;
  const wrong: string[] = [];
  const seen: Report[] = [];
  for (const report of reports.filter(({ outcome }) => outcome === "accepted")) {
    const { attempt } = report;
    for (const other of seen) {
      if (attempt !== undefined && other.attempt === attempt)
        wrong.push(`two results of attempt ${attempt} of job ${id} were accepted`);
      else if (!isRetriedBetween(report, other, job))
        wrong.push(`two results of one run of job ${id} were accepted`);
    }
    if (attempt !== undefined && isAfterNextAttempt({ ...report, attempt }, job))
      wrong.push(`a result of attempt ${attempt} of job ${id} was accepted after the next attempt began`);
    seen.push(report);
  }
  return wrong;
}

function isRetriedBetween(one: Span, other: Span, { changes }: JobHistory): boolean {
  const [from, to] = [Math.min(one.from, other.from), Math.max(one.to, other.to)];
  return changes.some(
    ({ kind, outcome, ...span }) =>
      kind === "retry" &&
      outcome !== "refused" &&
      span.from <= to &&
      (span.to >= from || outcome === "unknown"),
  );
}

function isAfterNextAttempt(report: Moment, { handOuts }: JobHistory): boolean {
  return handOuts.some(
    ({ attempt, ...span }) => attempt !== undefined && isLate(report, { attempt, ...span }),
  );
}

/** Whether something of the earlier attempt came after the later one. */
function isLate(one: Moment, other: Moment): boolean {
  return one.attempt < other.attempt && isBefore(other, one);
}
