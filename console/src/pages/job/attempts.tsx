import type { Attempt, Timeline, Webhook } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { CutText } from "../../parts/json-tree.tsx";
import { countText, spanText, When } from "../../parts/when.tsx";

/** Why a job waits, and a line for each of its attempts: waiting, cold start, run, webhook; also in words. */
export function Attempts({ timeline }: { timeline: Timeline }) {
  const { attempts, webhooks } = timeline;
  const scale = scaleOf(timeline);
  const hasColdStart = attempts.some(({ coldStart }) => coldStart !== undefined);
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
              scale={scale}
            />
          ))}
        </ol>
      </div>
    </section>
  );
}

function WhyItWaits({ timeline: { position, reason } }: { timeline: Timeline }) {
  if (reason === undefined) return null;
  return (
    <div class="note warn">
      <span>
        {position === undefined ? "" : `Place ${countText(position)} in the queue. `}
        {reason.message}
      </span>
      <code>{reason.code}</code>
    </div>
  );
}

/** How many characters of an error are shown at first. */
const ERROR_SHOWN = 1_000;

/** A time as a place on the bar, from 0 to `WIDTH`. */
type Scale = (moment: string | number) => number;

const WIDTH = 1_000;

/** The smallest visible part. */
const LEAST = 3;

function scaleOf({ submittedAt, attempts, webhooks }: Timeline): Scale {
  const begin = Date.parse(attempts[0]?.queuedAt ?? submittedAt);
  const ends = [
    ...attempts.map(({ endedAt, startedAt }) => Date.parse(endedAt ?? startedAt)),
    ...webhooks.map(({ lastAttemptAt, createdAt }) => Date.parse(lastAttemptAt ?? createdAt)),
    ...(attempts.at(-1)?.endedAt === undefined ? [Date.now()] : []),
  ];
  const span = Math.max(1, Math.max(...ends) - begin);
  return (moment) => {
    const at = typeof moment === "number" ? moment : Date.parse(moment);
    return Math.min(WIDTH, Math.max(0, ((at - begin) * WIDTH) / span));
  };
}

const TONES: Readonly<Record<string, string>> = { COMPLETED: "good", RUNNING: "busy", CANCELLED: "ended" };

interface LineProperties {
  readonly attempt: Attempt;
  readonly webhooks: readonly Webhook[];
  readonly scale: Scale;
}

function AttemptLine({ attempt, webhooks, scale }: LineProperties) {
  const { queuedAt, startedAt, endedAt, coldStart, outcome } = attempt;
  const part = (kind: string, from: string | number, end: string | number) => {
    const x = Math.min(scale(from), WIDTH - LEAST);
    return <rect class={kind} x={x} y={0} width={Math.max(LEAST, scale(end) - x)} height={10} />;
  };
  return (
    <li class="attempt">
      <span>
        <strong>{attempt.attempt}</strong> <Badge state={outcome === "RUNNING" ? "IN_PROGRESS" : outcome} />
      </span>
      <svg class="attempts-bar" viewBox={`0 0 ${WIDTH} 10`} preserveAspectRatio="none" aria-hidden="true">
        {part("queued", queuedAt, startedAt)}
        {coldStart === undefined ? null : part("cold", coldStart.wantedAt, coldEnd(coldStart))}
        {part(TONES[outcome] ?? "bad", startedAt, endedAt ?? Date.now())}
        {webhooks.map(({ createdAt, lastAttemptAt }) => part("told", createdAt, lastAttemptAt ?? createdAt))}
      </svg>
      <small class="soft said">
        <AttemptWords attempt={attempt} />
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

function coldEnd({
  wantedAt,
  pullMs = 0,
  bootMs = 0,
  firstPollMs = 0,
}: NonNullable<Attempt["coldStart"]>): number {
  return Date.parse(wantedAt) + pullMs + bootMs + firstPollMs;
}

function AttemptWords({ attempt }: { attempt: Attempt }) {
  const { queuedAt, startedAt, endedAt, workerId, version, host, error, exit, coldStart, chunks } = attempt;
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
      {error === undefined ? null : (
        <span class="wrong-key">
          {" "}
          <CutText text={error} limit={ERROR_SHOWN} />
        </span>
      )}
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
