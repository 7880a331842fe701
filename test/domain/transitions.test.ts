import { expect, test } from "bun:test";
import { isTerminal, JOB_STATES, permits, TRANSITIONS } from "../../src/domain/transitions.ts";

/** Spec section 3, with the moves that it does not name but whose end it describes. */
const SPEC = `
enqueue:                                              -> IN_QUEUE
take:     IN_QUEUE                                    -> IN_PROGRESS
complete: IN_PROGRESS                                 -> COMPLETED
completeLate: IN_QUEUE IN_PROGRESS                    -> COMPLETED
fail:     IN_PROGRESS                                 -> FAILED
giveBack: IN_PROGRESS                                 -> IN_QUEUE
giveUp:   IN_PROGRESS                                 -> FAILED
cutOff:   IN_PROGRESS                                 -> FAILED
timeOut:  IN_QUEUE IN_PROGRESS                        -> TIMED_OUT
cancel:   IN_QUEUE IN_PROGRESS                        -> CANCELLED
retry:    FAILED TIMED_OUT                            -> IN_QUEUE
purge:    IN_QUEUE                                    -> removed
forget:   COMPLETED FAILED CANCELLED TIMED_OUT        -> removed
`;

test("P2: the transitions are those of the specification, and no others", () => {
  const table = Object.entries(TRANSITIONS).map(
    ([event, { from, to }]) => `${event}: ${from.join(" ")} -> ${to ?? "removed"}`,
  );

  expect(table.map(withSingleSpaces)).toEqual(SPEC.trim().split("\n").map(withSingleSpaces));
});

test("P2: a job that has ended is left by retry and forget alone", () => {
  for (const state of JOB_STATES.filter(isTerminal)) {
    const events = (Object.keys(TRANSITIONS) as (keyof typeof TRANSITIONS)[]).filter((event) =>
      permits(event, state),
    );
    const isRetryable = state === "FAILED" || state === "TIMED_OUT";
    expect(events).toEqual(isRetryable ? ["retry", "forget"] : ["forget"]);
  }
});

function withSingleSpaces(line: string): string {
  return line.replaceAll(/\s+/g, " ");
}
