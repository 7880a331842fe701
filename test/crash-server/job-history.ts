import type { History, Purge, Request, Sighting, Span, Submission } from "./history.ts";

/** All that is known of one job. */
export interface JobHistory {
  readonly submission: Submission;
  /** In the order in which they were told. */
  readonly sightings: Sighting[];
  readonly requests: Request[];
  /** Of its endpoint. */
  readonly purges: readonly Purge[];
}

/** The jobs whose ids somebody was told. */
export function jobHistories(history: History): Map<string, JobHistory> {
  const jobs = new Map<string, JobHistory>();
  const know = (id: string, submission: Submission): void => {
    if (jobs.has(id)) return;
    const purges = history.purges.filter(({ endpoint }) => endpoint === submission.endpoint);
    jobs.set(id, { submission, sightings: [], requests: [], purges });
  };
  for (const submission of history.submissions)
    if (submission.id !== undefined) know(submission.id, submission);
  const byTag = new Map(history.submissions.map((submission) => [submission.tag, submission]));
  for (const { id, tag } of history.handOuts) {
    const submission = byTag.get(tag);
    if (submission !== undefined) know(id, submission);
  }
  for (const sighting of sightingsOf(history)) jobs.get(sighting.id)?.sightings.push(sighting);
  for (const request of history.requests) jobs.get(request.id)?.requests.push(request);
  for (const { sightings } of jobs.values()) sightings.sort((one, other) => one.to - other.to);
  return jobs;
}

/** Those of clients, and what other answers tell as well. */
function sightingsOf({ submissions, sightings, handOuts, results }: History): Sighting[] {
  return [
    ...sightings,
    ...submissions.flatMap(({ id, from, to }) =>
      id === undefined ? [] : [{ id, from, to, state: "IN_QUEUE" as const }],
    ),
    ...handOuts.flatMap(({ id, span }) =>
      span === undefined ? [] : [{ id, ...span, state: "IN_PROGRESS" as const }],
    ),
    ...results.flatMap(({ id, state, digest, accepted }) =>
      accepted === undefined ? [] : [{ id, ...accepted, state, result: digest }],
    ),
  ];
}

/** Whether something within `span` can have happened after `since` began and before `until` was over. */
export function isBetween(since: Span, span: Span, until: Span): boolean {
  return span.from < until.to && span.to > since.from;
}
