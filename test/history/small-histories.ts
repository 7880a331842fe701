import { checkHistory } from "./check-history.ts";
import { end, FINAL, handOut, look, report, submission } from "./events.ts";
import type { Faults } from "./faults.ts";
import type { HistoryEvent } from "./history.ts";

/** The faults that are there, without the empty lists. */
export function faults(...events: HistoryEvent[]): Partial<Faults> {
  const found = Object.entries(checkHistory(events).faults);
  return Object.fromEntries(found.filter(([, list]) => list.length > 0));
}

/** Submitted, and gone. */
export const LOST: HistoryEvent[] = [submission(1), look(50, "gone", FINAL)];
export const DONE: HistoryEvent[] = [
  submission(1),
  handOut(3, 1),
  report(5, "COMPLETED", "r", { attempt: 1 }),
  end(9, "COMPLETED", "r", FINAL),
];
export const FAILED: HistoryEvent[] = [
  submission(1),
  handOut(3, 1),
  report(5, "FAILED", "r", { attempt: 1 }),
  end(9, "FAILED", "r"),
];
