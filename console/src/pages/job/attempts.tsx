import { headlineOf, jobErrorOf } from "../../../../src/domain/job-error.ts";
import type { Attempt, Timeline, Webhook } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { CutText } from "../../parts/json-tree.tsx";
import { WaitNote } from "../../parts/wait-note.tsx";
import { countText, spanText, When } from "../../parts/when.tsx";
import { type BarRange, type BarSpan, TimelineBar } from "./timeline-bar.tsx";

/** Why a job waits, and a line for each of its attempts: waiting, cold start, run, webhook; also in words. */
export function Attempts({ timeline }: { timeline: Timeline }) {
  const { attempts, webhooks, status, attempt: newest } = timeline;
  const range = rangeOf(timeline);
  const hasColdStart = attempts.some(({ coldStart }) => coldStart !== undefined);
  // The error of the job has a panel of its own.
  const hasFailed = status === "FAILED" || status === "TIMED_OUT";
  return (
    <section class="card panel" aria-labelledby="attempts">
      <header>
        <h2 id="attempts">Timeline</h2>
        <ul class="legend" aria-hidden="true">
          <li class="queued">waited</li>
          {hasColdStart ? <li class="cold">cold start</li> : null}
          <li class="ran">ran</li>
          {webhooks.length === 0 ? null : <li class="told">webhook</li>}
        </ul>
      </header>
      <div class="body stack close timeline">
        <WhyItWaits timeline={timeline} />
        <ol class="stack close plain">
          {attempts.map((attempt, index) => (
            <AttemptLine
              key={attempt.attempt}
              attempt={attempt}
              webhooks={index === attempts.length - 1 ? webhooks : []}
              range={range}
              isErrorElsewhere={hasFailed && attempt.attempt === newest}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

function WhyItWaits({ timeline: { position, reason } }: { timeline: Timeline }) {
  if (reason === undefined) return null;
  const place = position === undefined ? "" : `Place ${countText(position)} in the queue. `;
  return <WaitNote reason={{ ...reason, message: `${place}${reason.message}` }} />;
}

/** How many characters of an error are shown at first. */
const ERROR_SHOWN = 1_000;

function rangeOf({ submittedAt, attempts, webhooks }: Timeline): BarRange {
  const begin = Date.parse(attempts[0]?.queuedAt ?? submittedAt);
  const ends = [
    ...attempts.map(({ endedAt, startedAt }) => Date.parse(endedAt ?? startedAt)),
    ...webhooks.map(({ lastAttemptAt, createdAt }) => Date.parse(lastAttemptAt ?? createdAt)),
    ...(attempts.at(-1)?.endedAt === undefined ? [Date.now()] : []),
  ];
  return { begin, end: Math.max(...ends) };
}

const TONES: Readonly<Record<string, string>> = { COMPLETED: "good", RUNNING: "busy", CANCELLED: "ended" };

interface LineProperties {
  readonly attempt: Attempt;
  readonly webhooks: readonly Webhook[];
  readonly range: BarRange;
  readonly isErrorElsewhere: boolean;
}

function AttemptLine({ attempt, webhooks, range, isErrorElsewhere }: LineProperties) {
  const { outcome, error } = attempt;
  return (
    <li class="attempt">
      <span>
        <strong>{attempt.attempt}</strong> <Badge state={outcome === "RUNNING" ? "IN_PROGRESS" : outcome} />
      </span>
      <TimelineBar spans={spansOf(attempt, webhooks)} range={range} />
      <small class="soft said">
        <AttemptWords attempt={attempt} />
        {error === undefined || isErrorElsewhere ? null : (
          <span class="wrong-key">
            {" "}
            <CutText text={headlineOf(jobErrorOf(error))} limit={ERROR_SHOWN} />
          </span>
        )}
        {webhooks.map((webhook) => (
          <span key={webhook.id}>
            {" "}
            Its webhook to <code>{webhook.receiver}</code> is {webhook.status.toLowerCase()}
            {webhook.responseStatus === undefined ? "" : ` (${webhook.responseStatus})`}.
          </span>
        ))}
      </small>
    </li>
  );
}

/** The last ones lie on top of the others. */
function spansOf(attempt: Attempt, webhooks: readonly Webhook[]): BarSpan[] {
  const { queuedAt, startedAt, endedAt, coldStart, outcome } = attempt;
  const span = (name: string, kind: string, from: string, end: string | number): BarSpan => ({
    name,
    kind,
    from: Date.parse(from),
    end: typeof end === "number" ? end : Date.parse(end),
  });
  return [
    span("waited", "queued", queuedAt, startedAt),
    ...(coldStart === undefined ? [] : [span("cold start", "cold", coldStart.wantedAt, coldEnd(coldStart))]),
    span(endedAt === undefined ? "runs" : "ran", TONES[outcome] ?? "bad", startedAt, endedAt ?? Date.now()),
    ...webhooks.map(({ createdAt, lastAttemptAt }) =>
      span("webhook", "told", createdAt, lastAttemptAt ?? createdAt),
    ),
  ];
}

function coldEnd({
  wantedAt,
  pullMs = 0,
  bootMs = 0,
  firstPollMs = 0,
}: NonNullable<Attempt["coldStart"]>): number {
  return Date.parse(wantedAt) + pullMs + bootMs + firstPollMs;
}

function AttemptWords({ attempt }: { attempt: Attempt }) {
  const { queuedAt, startedAt, endedAt, workerId, version, host, exit, coldStart, chunks } = attempt;
  const steps = [
    ["image", coldStart?.pullMs],
    ["boot", coldStart?.bootMs],
    ["first call", coldStart?.firstPollMs],
  ].flatMap(([name, ms]) => (typeof ms === "number" ? [`${name} ${spanText(ms)}`] : []));
  return (
    <>
      Taken <When at={startedAt} /> after {span(queuedAt, startedAt)}
      {steps.length === 0 ? "" : `, cold start: ${steps.join(", ")}`}
      {endedAt === undefined ? ", runs" : `, ran ${span(startedAt, endedAt)}`}
      {workerId === undefined ? null : (
        <>
          {" "}
          at <code>{workerId}</code>
        </>
      )}
      {version === undefined ? "" : ` of version ${version}`}
      {host === undefined ? "" : ` on ${host}`}
      <Gpus attempt={attempt} />
      {chunks === 0 ? "" : `, ${chunks} chunks`}.{exit === undefined ? "" : ` The worker: ${exit.reason}.`}
    </>
  );
}

/** Which GPUs the worker had, and for how long the attempt ran on them. */
function Gpus({ attempt: { gpus, gpuSeconds = 0 } }: { attempt: Attempt }) {
  if (gpus === undefined) return null;
  return (
    <>
      {", "}
      {countText(gpuSeconds)} GPU seconds on{" "}
      {gpus.map(({ uuid, name }, index) => (
        <span key={uuid}>
          {index === 0 ? "" : ", "}
          {name} <code>{uuid}</code>
        </span>
      ))}
    </>
  );
}

function span(from: string, end: string): string {
  return spanText(Math.max(0, Date.parse(end) - Date.parse(from)));
}
