import type { SeededRandom } from "../crash/seeded-random.ts";
import { type HistoryEvent, isBefore, isEnd, type Look } from "./history.ts";
import { type EventOf, eventsOf, type JobHistory, jobHistories } from "./job-history.ts";

type Events = readonly HistoryEvent[];

/** Changes, adds or removes an event, so that nothing explains the history; undefined: not this one. */
type Corrupt = (events: Events, random: SeededRandom) => Events | undefined;

/** Every way in which a legal history of the reference becomes one that the checker must reject. */
export const CORRUPTIONS: Readonly<Record<string, Corrupt>> = {
  "an acknowledged job is gone": byJob(
    finalLook,
    ({ purges }) => purges.length === 0,
    (look) => ({ ...look, state: "gone", result: undefined, record: undefined }),
  ),
  "a job has not ended": byJob(
    finalLook,
    () => true,
    (look) => ({ ...look, state: "IN_PROGRESS" }),
  ),
  "nobody looked in the end": byJob(
    finalLook,
    () => true,
    () => undefined,
  ),
  "the record of an end is another one": byJob(
    finalLook,
    // A retry without an answer can have led to another end.
    ({ looks, webhooks, changes }, { record }) =>
      changes.every(({ kind }) => kind !== "retry") &&
      [...looks, ...webhooks].filter((one) => one.record === record).length > 1,
    (look) => ({ ...look, record: "other" }),
  ),
  "a result is nobody's": byJob(
    completedLook,
    () => true,
    (look) => ({ ...look, result: "nobody's" }),
  ),
  "a completed job is cancelled": byJob(
    completedLook,
    ({ changes }) => changes.every(({ kind }) => kind !== "cancel"),
    (look) => ({ ...look, state: "CANCELLED", result: null }),
  ),
  "a job runs after it has completed": (events, random) => {
    const look = some(
      looksOf(events).filter(({ state, isFinal }) => state === "COMPLETED" && isFinal),
      random,
    );
    return (
      look && [
        ...events,
        { kind: "look", id: look.id, state: "IN_PROGRESS", from: look.to + 1, to: look.to + 2 },
      ]
    );
  },
  "a submission is unknown to those who sent": byJob(
    ({ submission }) => [submission],
    ({ handOuts }) => handOuts.length > 0,
    () => undefined,
  ),
  "a submission was refused, and is a job": byJob(
    ({ submission }) => [submission],
    ({ handOuts }) => handOuts.length > 0,
    (submission) => ({ ...submission, outcome: "refused" }),
  ),
  "one submission became two jobs": doubled(
    "handOut",
    () => true,
    (handOut) => ({ ...handOut, id: "other" }),
  ),
  "one attempt was handed out twice": doubled(
    "handOut",
    ({ attempt }) => attempt !== undefined,
    (handOut) => handOut,
  ),
  "an attempt has the number of one before": (events, random) => {
    const named = eventsOf(events, "handOut").filter(({ attempt }) => attempt !== undefined);
    const later = some(
      named.filter((one) => named.some((other) => isEarlier(other, one))),
      random,
    );
    const before = later && named.find((other) => isEarlier(other, later));
    return (
      later &&
      before &&
      replaced(events, later, {
        ...later,
        ...(before.attempt === undefined ? {} : { attempt: before.attempt }),
      })
    );
  },
  "two results were accepted": byJob(
    ({ reports }) => reports.filter(({ outcome }) => outcome === "accepted"),
    // A retry makes room for a second one.
    isNeverRetried,
    (report) => report,
    (report) => ({ ...report, result: "second", from: report.to + 1, to: report.to + 1 }),
  ),
  "an accepted result is another one": byJob(
    ({ reports }) => reports.filter(({ outcome }) => outcome === "accepted"),
    isNeverRetried,
    (report) => ({ ...report, result: "other" }),
  ),
  "the result of an attempt that runs was ignored": byJob(
    ({ reports }) =>
      reports.filter(({ outcome, attempt }) => outcome === "accepted" && attempt !== undefined),
    (job, { result }) => isNeverRetried(job) && job.looks.some((look) => look.result === result),
    (report) => ({ ...report, outcome: "ignored" }),
  ),
  "an ignored result was accepted": byJob(
    ({ reports }) => reports.filter(({ outcome }) => outcome === "ignored"),
    isNeverRetried,
    (report) => ({ ...report, outcome: "accepted" }),
  ),
  "a job was cancelled by nobody": byJob(
    ({ changes, looks }) =>
      changes.filter(({ kind }) => kind === "cancel" && looks.at(-1)?.state === "CANCELLED"),
    ({ changes }) => changes.filter(({ kind }) => kind === "cancel").length === 1,
    () => undefined,
  ),
  "a job is gone that nobody purged": (events) => {
    const isGone = looksOf(events).some(({ state, isFinal }) => state === "gone" && isFinal);
    return isGone ? events.filter(({ kind }) => kind !== "purge") : undefined;
  },
  "a purge names a job that is still there": (events, random) => {
    const purge = some(
      eventsOf(events, "purge").filter(({ ids }) => ids !== undefined),
      random,
    );
    const look = some(
      looksOf(events).filter(({ isFinal, state }) => isFinal === true && isEnd(state)),
      random,
    );
    return purge && look && replaced(events, purge, { ...purge, ids: [...(purge.ids ?? []), look.id] });
  },
  "a purge does not name a job that is gone": byJob(
    ({ purges }) => purges.filter(({ ids }) => ids !== undefined),
    ({ purges, looks }) =>
      purges.length === 1 && looks.some(({ isFinal, state }) => isFinal === true && state === "gone"),
    (purge) => ({ ...purge, ids: [] }),
  ),
  "a job came back without a retry": byJob(
    ({ changes, looks }) =>
      changes.filter((change) => change.kind === "retry" && isBetweenStates(change, looks)),
    ({ changes }) => changes.filter(({ kind }) => kind === "retry").length === 1,
    () => undefined,
  ),
  "a cancellation tells another state": byJob(
    ({ changes }) => changes.filter(({ state }) => state === "CANCELLED"),
    () => true,
    (cancel) => ({ ...cancel, state: "TIMED_OUT" }),
  ),
  "an acknowledged retry never was possible": byJob(
    ({ looks }) =>
      looks.filter(({ state, isFinal }) => isFinal && (state === "COMPLETED" || state === "CANCELLED")),
    () => true,
    (look) => look,
    ({ id, to }) => ({ kind: "retry", id, outcome: "acknowledged", from: to + 1, to: to + 2 }),
  ),
  "a refused retry was possible": byJob(
    ({ looks }) =>
      looks.filter(({ state, isFinal }) => isFinal && (state === "FAILED" || state === "TIMED_OUT")),
    isNeverRetried,
    (look) => look,
    ({ id, to }) => ({ kind: "retry", id, outcome: "refused", from: to + 1, to: to + 2 }),
  ),
  "a stored chunk was not read": byJob(readsOfAll, () => true, dropped),
  "a chunk was read twice": byJob(
    readsOfAll,
    () => true,
    (read) => ({ ...read, marks: [...read.marks, ...read.marks] }),
  ),
  "chunks were read in the wrong order": byJob(
    readsOfAll,
    (_, { marks }) => marks.length > 1,
    (read) => ({ ...read, marks: read.marks.toReversed() }),
  ),
  "a chunk is nobody's": byJob(
    readsOfAll,
    () => true,
    (read) => ({ ...read, marks: [...read.marks, "nobody's"] }),
  ),
  "a chunk was stored after the end": byJob(
    ({ chunks }) => chunks.filter(({ outcome }) => outcome === "stored"),
    () => true,
    (chunk) => ({ ...chunk, from: 1e6, to: 1e6 }),
  ),
  "an end has no webhook": (events, random) => {
    const told = looksOf(events).filter(({ record }) =>
      eventsOf(events, "webhook").some((one) => one.record === record),
    );
    const look = some(told, random);
    return look && events.filter((event) => event.kind !== "webhook" || event.record !== look.record);
  },
  "a webhook has another body": doubled(
    "webhook",
    () => true,
    (webhook) => ({ ...webhook, record: "other" }),
  ),
  "an end has two webhooks": doubled(
    "webhook",
    ({ state }) => state === "COMPLETED",
    (webhook) => ({ ...webhook, webhookId: "other" }),
  ),
  "a webhook is of no end": doubled(
    "webhook",
    () => true,
    (webhook) => ({
      ...webhook,
      webhookId: "other",
      record: "other",
      state: "IN_QUEUE",
    }),
  ),
  "a webhook came before its job": byJob(
    ({ webhooks }) => webhooks,
    () => true,
    (webhook) => ({ ...webhook, to: 1 }),
  ),
};

function some<Value>(values: readonly Value[], random: SeededRandom): Value | undefined {
  return values[random.integer(0, values.length - 1)];
}

function replaced(events: Events, event: HistoryEvent, by: HistoryEvent | undefined): Events {
  return events.flatMap((one) => (one === event ? (by ?? []) : [one]));
}

/** Picks an event of a job, and puts another one in its place, or none; or adds one. */
function byJob<Event extends HistoryEvent>(
  of: (job: JobHistory) => readonly Event[],
  isFit: (job: JobHistory, event: Event) => boolean,
  by: (event: Event) => Event | undefined,
  added?: (event: Event) => HistoryEvent,
): Corrupt {
  return (events, random) => {
    const fit = jobHistories(events).flatMap((job) => of(job).filter((event) => isFit(job, event)));
    const event = some(fit, random);
    return event && [...replaced(events, event, by(event)), ...(added ? [added(event)] : [])];
  };
}

/** Adds a variation of an event. */
function doubled<Kind extends HistoryEvent["kind"]>(
  kind: Kind,
  isFit: (event: EventOf<Kind>) => boolean,
  by: (event: EventOf<Kind>) => HistoryEvent,
): Corrupt {
  return (events, random) => {
    const event = some(eventsOf(events, kind).filter(isFit), random);
    return event && [...events, by(event)];
  };
}

function looksOf(events: Events): Look[] {
  return eventsOf(events, "look");
}

function finalLook({ looks }: JobHistory): Look[] {
  return looks.filter(({ isFinal, state }) => isFinal === true && isEnd(state));
}

function completedLook(job: JobHistory): Look[] {
  return finalLook(job).filter(({ state }) => state === "COMPLETED");
}

function readsOfAll({ reads, chunks }: JobHistory): JobHistory["reads"] {
  const isStored = (mark: string): boolean =>
    chunks.some((chunk) => chunk.mark === mark && chunk.outcome === "stored");
  return reads.filter(({ which, marks }) => which === "all" && marks.some(isStored) && marks.every(isStored));
}

function dropped(read: JobHistory["reads"][number]): JobHistory["reads"][number] {
  return { ...read, marks: read.marks.slice(1) };
}

function isNeverRetried({ changes }: JobHistory): boolean {
  return changes.every(({ kind }) => kind !== "retry");
}

function isEarlier(one: EventOf<"handOut">, other: EventOf<"handOut">): boolean {
  return one.id === other.id && (one.attempt ?? 0) < (other.attempt ?? 0) && one.attempt !== undefined;
}

/** Whether somebody saw the job FAILED before, and something else after. */
function isBetweenStates(change: JobHistory["changes"][number], looks: readonly Look[]): boolean {
  const isFailed = ({ state }: Look): boolean => state === "FAILED" || state === "TIMED_OUT";
  return (
    looks.some((look) => isFailed(look) && isBefore(look, change)) &&
    looks.some((look) => !isFailed(look) && isBefore(change, look))
  );
}
