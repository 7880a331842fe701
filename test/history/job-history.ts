import type {
  Change,
  Chunk,
  HandOut,
  HistoryEvent,
  Look,
  Purge,
  Read,
  Report,
  Submission,
  WebhookCall,
} from "./history.ts";

/** All that is known of one job, each list in the order of the history. */
export interface JobHistory {
  readonly id: string;
  readonly submission: Submission;
  readonly looks: readonly Look[];
  readonly changes: readonly Change[];
  /** Of its endpoint, without those that name the jobs they removed and not this one. */
  readonly purges: readonly Purge[];
  readonly handOuts: readonly HandOut[];
  readonly reports: readonly Report[];
  readonly chunks: readonly Chunk[];
  readonly reads: readonly Read[];
  readonly webhooks: readonly WebhookCall[];
}

export type EventOf<Kind extends HistoryEvent["kind"]> = Extract<HistoryEvent, { readonly kind: Kind }>;

export function eventsOf<Kind extends HistoryEvent["kind"]>(
  events: readonly HistoryEvent[],
  kind: Kind,
): EventOf<Kind>[] {
  return events.filter((event): event is EventOf<Kind> => event.kind === kind);
}

/** Events that name no job: they are spread over the jobs of their tag or endpoint. */
type Nameless = Submission | Purge;
type Named = Exclude<HistoryEvent, Nameless>;

/** The jobs that a submission stands behind, by its answer or by the tag that a worker saw. */
export function jobHistories(events: readonly HistoryEvent[]): JobHistory[] {
  const submissions = eventsOf(events, "submission");
  const purges = Map.groupBy(eventsOf(events, "purge"), ({ endpoint }) => endpoint);
  const named = Map.groupBy(
    events.filter((event): event is Named => "id" in event && event.kind !== "submission"),
    ({ id }) => id,
  );
  return [...submissionById(submissions, eventsOf(events, "handOut"))].map(([id, submission]) => {
    const own = named.get(id) ?? [];
    return {
      id,
      submission,
      looks: eventsOf(own, "look"),
      changes: [...eventsOf(own, "cancel"), ...eventsOf(own, "retry")],
      purges: (purges.get(submission.endpoint) ?? []).filter(({ ids }) => ids?.includes(id) ?? true),
      handOuts: eventsOf(own, "handOut"),
      reports: eventsOf(own, "report"),
      chunks: eventsOf(own, "chunk"),
      reads: eventsOf(own, "read"),
      webhooks: eventsOf(own, "webhook"),
    };
  });
}

function submissionById(
  submissions: readonly Submission[],
  handOuts: readonly HandOut[],
): Map<string, Submission> {
  const byTag = new Map(submissions.map((submission) => [submission.tag, submission]));
  const found = new Map<string, Submission>();
  for (const submission of submissions) if (submission.id !== undefined) found.set(submission.id, submission);
  for (const { id, tag } of handOuts) {
    const submission = byTag.get(tag);
    if (submission !== undefined && !found.has(id)) found.set(id, submission);
  }
  return found;
}
