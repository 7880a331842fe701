import type { Timeline } from "../../answers.ts";
import { spanText, When } from "../../parts/when.tsx";

/** When what happened to a job, and at which worker. */
export function JobFacts({ timeline }: { timeline: Timeline }) {
  const { queuedAt, startedAt, endedAt, workerId, version, attempt, retries } = timeline;
  return (
    <section class="card padded" aria-label="How it went">
      <dl class="facts">
        <div>
          <dt>Queued</dt>
          <dd>
            <When at={queuedAt} />
          </dd>
        </div>
        <div>
          <dt>Taken</dt>
          <dd>
            <When at={startedAt} /> <small class="soft">{between("after", queuedAt, startedAt)}</small>
          </dd>
        </div>
        <div>
          <dt>Ended</dt>
          <dd>
            <When at={endedAt} />{" "}
            <small class="soft">{between("after", startedAt ?? queuedAt, endedAt)}</small>
          </dd>
        </div>
        <div>
          <dt>Worker</dt>
          <dd class="mono">{workerId ?? "–"}</dd>
        </div>
        <div>
          <dt>Release</dt>
          <dd>{version ?? "–"}</dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>
            {attempt} <small class="soft">{retries === 0 ? "" : `${retries} lost`}</small>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function between(word: string, from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return "";
  return `${word} ${spanText(Math.max(0, Date.parse(to) - Date.parse(from)))}`;
}
