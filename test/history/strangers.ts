import { type Faults, merged } from "./faults.ts";
import type { HandOut, HistoryEvent, Submission } from "./history.ts";
import { eventsOf, type JobHistory } from "./job-history.ts";

/** Jobs that nobody sent, one submission that became two jobs, and results that no worker reported. */
export function strangers(events: readonly HistoryEvent[], jobs: readonly JobHistory[]): Partial<Faults> {
  const known = new Set(jobs.map(({ id }) => id));
  const read = eventsOf(events, "look").filter(({ id, state }) => state !== "gone" && !known.has(id));
  return merged([
    wrongIds(eventsOf(events, "submission"), eventsOf(events, "handOut")),
    { unexpected: [...new Set(read.map(({ id }) => `job ${id}, which nobody submitted`))] },
    { unexpected: foreignWebhooks(events, jobs) },
    { unexpected: jobs.flatMap(foreignResults) },
  ]);
}

/** A receiver can be told of a job whose id no client knows; of as many as there are unknown submissions. */
function foreignWebhooks(events: readonly HistoryEvent[], jobs: readonly JobHistory[]): string[] {
  const known = new Set(jobs.map(({ id }) => id));
  const found = new Set(jobs.map(({ submission }) => submission));
  const foreign = new Set(eventsOf(events, "webhook").flatMap(({ id }) => (known.has(id) ? [] : [id])));
  const possible = eventsOf(events, "submission").filter(
    (submission) =>
      submission.outcome === "unknown" && submission.hasWebhook === true && !found.has(submission),
  );
  return foreign.size <= possible.length
    ? []
    : [...foreign].map((id) => `a webhook of job ${id}, which nobody submitted`);
}

function wrongIds(submissions: readonly Submission[], handOuts: readonly HandOut[]): Partial<Faults> {
  const unexpected: string[] = [];
  const duplicated: string[] = [];
  const sent = new Map(submissions.map((submission) => [submission.tag, submission]));
  const ids = new Map<string, string>();
  const tags = new Map<string, string>();
  for (const { tag, id } of submissions) {
    if (id === undefined) continue;
    if (tags.has(id)) duplicated.push(`job ${id} was the answer to ${tags.get(id)} and to ${tag}`);
    tags.set(id, tag);
    ids.set(tag, id);
  }
  for (const { id, tag } of handOuts) {
    const known = ids.get(tag);
    const submission = sent.get(tag);
    if (submission === undefined) unexpected.push(`job ${id} has tag ${tag}, which nobody sent`);
    else if (submission.outcome === "refused")
      unexpected.push(`submission ${tag} was refused and is job ${id}`);
    else if (known !== undefined && known !== id)
      duplicated.push(`submission ${tag} is job ${known} and job ${id}`);
    else if ((tags.get(id) ?? tag) !== tag) unexpected.push(`job ${id} has tag ${tag}, not ${tags.get(id)}`);
    ids.set(tag, known ?? id);
    if (!tags.has(id)) tags.set(id, tag);
  }
  return { unexpected: [...new Set(unexpected)], duplicated: [...new Set(duplicated)] };
}

function foreignResults({ id, looks, reports }: JobHistory): string[] {
  const reported = new Set(reports.map(({ state, result }) => `${state} ${result}`));
  const foreign = looks.filter(
    ({ state, result }) => typeof result === "string" && !reported.has(`${state} ${result}`),
  );
  return [
    ...new Set(
      foreign.map(({ state, result }) => `job ${id} is ${state} with ${result}, which no worker reported`),
    ),
  ];
}
