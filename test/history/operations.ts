import { isBefore, isEnd } from "./history.ts";
import type {
  Change,
  Chunk,
  HandOut,
  Look,
  Purge,
  Report,
  Span,
  Submission,
  WebhookCall,
} from "./history.ts";
import type { JobHistory } from "./job-history.ts";
import {
  cancelled,
  isRetryable,
  purged,
  type Register,
  reported,
  retried,
  runs,
  seen as seenAs,
  submitted,
  taken,
} from "./register.ts";

/** One event as something that happened to the job at one moment between its times. */
export interface Operation extends Span {
  readonly what: string;
  /** It can have happened, and need not: then at any time from `from`. */
  readonly isOptional: boolean;
  /** Wherever it is possible it changes nothing. */
  readonly isRead: boolean;
  readonly isRetry: boolean;
  /** Optional ones of one group do the same: the first of them can do it whenever a later one can. */
  readonly group: string;
  /** The job after it; undefined: here it cannot have happened, or not with this answer. */
  readonly apply: (job: Register) => Register | undefined;
}

/** All that happened to a job, in the order of the calls. */
export function operationsOf(job: JobHistory): Operation[] {
  const seen = new Set(job.looks.map(({ result }) => result));
  return [
    submission(job.submission),
    ...job.looks.map(look),
    ...webhookLooks(job.webhooks),
    ...job.changes.flatMap((change) => changed(change, job.submission.mayExpire === true)),
    ...purgesBeforeEnd(job).map(purge),
    ...job.handOuts.map(handOut),
    ...job.reports.flatMap((event) => report(event, seen.has(event.result))),
    ...job.chunks.flatMap(chunk),
  ].toSorted((one, other) => one.from - other.from);
}

/** Purges that can have found the job in the queue: not those after an end that no retry followed. */
function purgesBeforeEnd({ submission: sent, purges, looks, changes }: JobHistory): Purge[] {
  const retries = changes.filter(({ kind, outcome }) => kind === "retry" && outcome !== "refused");
  const lastRetry = Math.max(0, ...retries.map(({ outcome, to }) => (outcome === "unknown" ? Infinity : to)));
  const ends = looks.filter(({ state, from }) => (isEnd(state) || state === "gone") && from > lastRetry);
  const endedAt = Math.min(Infinity, ...ends.map(({ to }) => to));
  return purges.filter((event) => {
    if (event.ids !== undefined) return true;
    if (event.outcome === "refused" || event.from > endedAt) return false;
    return event.outcome === "unknown" || !isBefore(event, sent);
  });
}

type Apply = Operation["apply"];

function operation({ from, to }: Span, what: string, apply: Apply, more: Partial<Operation> = {}): Operation {
  return { what, from, to, apply, isOptional: false, isRead: false, isRetry: false, group: "", ...more };
}

function unknown(span: Span, what: string, apply: Apply, group: string, isRetry = false): Operation {
  const changing: Apply = (job) => {
    const after = apply(job);
    return after === job ? undefined : after;
  };
  return operation({ ...span, to: Infinity }, what, changing, { isOptional: true, group, isRetry });
}

function submission(event: Submission): Operation {
  return event.outcome === "unknown"
    ? unknown(event, "submission", submitted, "submission")
    : operation(event, "submission", submitted);
}

function look(event: Look): Operation {
  const { state, result } = event;
  const told = result === undefined ? "" : ` with ${result ?? "an error of the server"}`;
  return operation(event, `look: ${state}${told}`, (job) => seenAs(job, event), { isRead: true });
}

/** A webhook tells an end as a look does that was taken before it came. */
function webhookLooks(webhooks: readonly WebhookCall[]): Operation[] {
  return [...Map.groupBy(webhooks, ({ record }) => record).values()].flatMap((calls) => {
    const [first] = calls.toSorted((one, other) => one.to - other.to);
    return first === undefined ? [] : [look({ ...first, kind: "look", from: 0 })];
  });
}

function changed(event: Change, mayExpire: boolean): Operation[] {
  const { kind, outcome, state } = event;
  const isRetry = kind === "retry";
  const apply = isRetry ? retried : cancelled;
  if (outcome === "unknown") return [unknown(event, kind, apply, kind, isRetry)];
  if (outcome === "acknowledged") {
    const answering: Apply = (job) => {
      const after = apply(job);
      return state === undefined || after?.phase === state ? after : undefined;
    };
    return [operation(event, `${kind}, answered ${state}`, answering, { isRetry })];
  }
  // One whose record has expired is refused too.
  if (!isRetry || mayExpire) return [];
  const refused: Apply = (job) => (isRetryable(job) || job.phase === "absent" ? undefined : job);
  return [operation(event, "refused retry", refused, { isRead: true })];
}

function purge(event: Purge): Operation {
  if (event.ids !== undefined) {
    return operation(event, "purge that names it", (job) => {
      const after = purged(job);
      return after === job ? undefined : after;
    });
  }
  return event.outcome === "unknown"
    ? unknown(event, "purge", purged, "purge")
    : operation(event, "purge", purged);
}

function handOut(event: HandOut): Operation {
  const { attempt, worker } = event;
  const what = attempt === undefined ? "hand-out" : `hand-out of attempt ${attempt}`;
  return operation(event, what, (job) => taken(job, attempt, worker));
}

/** Results that nobody read are all alike. */
function report(event: Report, isRead: boolean): Operation[] {
  const { state, attempt, worker, outcome } = event;
  const result = isRead ? event.result : "nobody read";
  const what = `report ${state} with ${event.result}`;
  const apply: Apply = (job) => reported(job, { ...event, result });
  if (outcome === "accepted") return [operation(event, what, apply)];
  const group = ["report", state, attempt, worker, result].join();
  if (outcome === "unknown") return [unknown(event, what, apply, group)];
  return attempt === undefined ? [] : [ignored(event, what, attempt)];
}

function chunk(event: Chunk): Operation[] {
  const { mark, attempt, outcome } = event;
  const what = `chunk ${mark}`;
  if (outcome === "unknown") return [];
  if (outcome === "ignored") return [ignored(event, what, attempt)];
  return [operation(event, what, (job) => (runs(job, attempt) ? job : undefined), { isRead: true })];
}

/** Nothing of an attempt that runs is ignored. */
function ignored(event: Span, what: string, attempt: number): Operation {
  return operation(event, `ignored ${what}`, (job) => (runs(job, attempt) ? undefined : job), {
    isRead: true,
  });
}
