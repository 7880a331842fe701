import type { History } from "./history.ts";

/** How many submissions were answered, and how many of the others are jobs. */
export function submissionsOf({ submissions, handOuts }: History) {
  const tags = new Set(handOuts.map(({ tag }) => tag));
  const unanswered = submissions.filter(({ id }) => id === undefined);
  return {
    acknowledged: submissions.length - unanswered.length,
    unanswered: unanswered.length,
    recovered: unanswered.filter(({ tag }) => tags.has(tag)).length,
  };
}
