import type { HistoryEvent } from "../history/history.ts";

/** Submissions that were acknowledged, and results that were accepted: as long as they come, jobs move. */
export function answeredOf(events: readonly HistoryEvent[]): number {
  const isAnswered = (event: HistoryEvent): boolean =>
    (event.kind === "submission" && event.outcome === "acknowledged") ||
    (event.kind === "report" && event.outcome === "accepted");
  return events.filter(isAnswered).length;
}
