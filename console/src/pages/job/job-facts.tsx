import type { Timeline } from "../../answers.ts";
import { to } from "../../parts/route.ts";
import { countText, sizeText, spanText, When } from "../../parts/when.tsx";

/** The times of a job. */
export function JobFacts({ timeline }: { timeline: Timeline }) {
  const { submittedAt, queuedAt, startedAt, endedAt, attempt, retries, chunks, executionTimeout, ttl } =
    timeline;
  return (
    <section class="card padded" aria-label="Facts">
      <dl class="facts">
        <div>
          <dt>Submitted</dt>
          <dd>
            <When at={submittedAt} />
          </dd>
        </div>
        <div>
          <dt>Taken</dt>
          <dd>
            <When at={startedAt} /> <small class="soft">{after(queuedAt, startedAt)}</small>
          </dd>
        </div>
        <div>
          <dt>Ended</dt>
          <dd>
            <When at={endedAt} /> <small class="soft">{after(startedAt ?? queuedAt, endedAt)}</small>
          </dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>
            {attempt} <small class="soft">{retries === 0 ? "" : `${retries} lost`}</small>
          </dd>
        </div>
        <div>
          <dt>Chunks</dt>
          <dd>
            {countText(chunks.count)}{" "}
            <small class="soft">{chunks.count === 0 ? "" : sizeText(chunks.bytes)}</small>
          </dd>
        </div>
        <div>
          <dt>Execution timeout, TTL</dt>
          <dd>
            {spanText(executionTimeout)} <small class="soft">of {spanText(ttl)}</small>
          </dd>
        </div>
        {timeline.resubmittedFrom === undefined ? null : (
          <div>
            <dt>Resubmitted from</dt>
            <dd>
              <Origin job={timeline.resubmittedFrom} />
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}

/** The job that another one was made from. */
export function Origin({ job: { endpoint, id } }: { job: NonNullable<Timeline["resubmittedFrom"]> }) {
  return <a href={to("endpoints", endpoint, "jobs", id)}>{id}</a>;
}

function after(from: string, end: string | undefined): string {
  return end === undefined ? "" : `after ${spanText(Math.max(0, Date.parse(end) - Date.parse(from)))}`;
}
