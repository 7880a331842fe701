import type { AttemptAnswer, TimelineAnswer } from "../../http/answers/timeline.ts";
import type { WebhookAnswer } from "../../http/answers/webhook.ts";
import { durationText } from "../terminal/duration-text.ts";
import { errorHeadline } from "../terminal/error-text.ts";

type ColdStart = NonNullable<AttemptAnswer["coldStart"]>;

/** Something that happened to a job. */
export interface Moment {
  /** ms since 1970. */
  readonly at: number;
  readonly what: string;
  /** The worker or receiver; empty for the server itself. */
  readonly who: string;
}

/** Everything that happened to the job, earliest first. */
export function momentsOf(timeline: TimelineAnswer): Moment[] {
  const { attempts, webhooks, submittedAt, queuedAt, endedAt, status } = timeline;
  const last = attempts.at(-1);
  const isTold = last !== undefined && last.endedAt === endedAt;
  const moments = [
    moment(submittedAt, "submitted"),
    ...attempts.flatMap(ofAttempt),
    ...(last !== undefined && last.queuedAt !== queuedAt ? [moment(queuedAt, "queued again")] : []),
    ...(endedAt !== undefined && !isTold ? [moment(endedAt, status)] : []),
    ...webhooks.flatMap(ofWebhook),
  ];
  // Events of the same time stay in the order in which they happened.
  return moments.toSorted((a, b) => a.at - b.at);
}

function ofAttempt(attempt: AttemptAnswer): Moment[] {
  const { workerId = "", version, host, gpus, coldStart, queuedAt, startedAt, endedAt, exit } = attempt;
  const of = version === undefined ? "" : ` of version ${version}`;
  const on = host === undefined ? "" : ` on ${host}`;
  const said = exit?.reason ?? (attempt.error === undefined ? undefined : errorHeadline(attempt.error));
  const end = `${attempt.outcome}${amountsOf(attempt)}${said === undefined ? "" : `: ${said}`}`;
  return [
    ...(attempt.attempt > 1 ? [moment(queuedAt, "queued again")] : []),
    ...(coldStart === undefined ? [] : ofColdStart(coldStart, workerId)),
    moment(startedAt, `attempt ${attempt.attempt}: handed out to a worker${of}${on}`, workerId),
    ...(gpus === undefined ? [] : [moment(startedAt, `its GPUs: ${modelsOf(gpus)}`, workerId)]),
    ...(endedAt === undefined ? [] : [moment(endedAt, end, workerId)]),
  ];
}

/** What the attempt put out, and what it took of the GPUs. */
function amountsOf({ chunks, gpuSeconds }: AttemptAnswer): string {
  const count = chunks === 1 ? "1 chunk" : `${chunks} chunks`;
  const amounts = [
    ...(chunks === 0 ? [] : [count]),
    ...(gpuSeconds === undefined ? [] : [`${gpuSeconds} GPU seconds`]),
  ];
  return amounts.length === 0 ? "" : ` after ${amounts.join(" and ")}`;
}

/** Such as `2 × NVIDIA L40S`. The JSON output has their UUIDs. */
function modelsOf(gpus: NonNullable<AttemptAnswer["gpus"]>): string {
  const models = Map.groupBy(gpus, ({ name }) => name);
  return [...models].map(([name, { length }]) => `${length} × ${name}`).join(", ");
}

/** Each part ends at a moment, if the parts before it are known. */
function ofColdStart({ wantedAt, pullMs, bootMs, firstPollMs }: ColdStart, worker: string): Moment[] {
  const moments = [moment(wantedAt, "worker requested", worker)];
  let at = Date.parse(wantedAt);
  for (const [ms, what] of [
    [pullMs, "image fetched"],
    [bootMs, "worker runs"],
    [firstPollMs, "worker connects"],
  ] as const) {
    if (ms === undefined) continue;
    at += ms;
    moments.push({ at, what: `${what}, after ${durationText(ms)}`, who: worker });
  }
  return moments;
}

function ofWebhook(webhook: WebhookAnswer): Moment[] {
  const { receiver, status, attempts, createdAt, lastAttemptAt, nextAttemptAt, responseStatus } = webhook;
  const answer = webhook.error ?? (responseStatus === undefined ? "" : `status ${responseStatus}`);
  const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const told = answer === "" ? "" : `: ${answer}`;
  return [
    moment(lastAttemptAt ?? createdAt, `webhook ${status} after ${times}${told}`, receiver),
    ...(nextAttemptAt === undefined ? [] : [moment(nextAttemptAt, "webhook is due", receiver)]),
  ];
}

function moment(at: string, what: string, who = ""): Moment {
  return { at: Date.parse(at), what, who };
}
