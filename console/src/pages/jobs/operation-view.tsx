import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { JobAction, JobOperation } from "../../answers.ts";
import { type JobListPlace, listAddress, withFilters } from "../../parts/job-filters.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { attempt } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { countText } from "../../parts/when.tsx";

/** How often the progress is read, ms. */
const EVERY = 500;

const DONE: Readonly<Record<JobAction, string>> = {
  retry: "back in the queue",
  resubmit: "submitted again",
  cancel: "cancelled",
};

interface OperationViewProperties {
  readonly id: string;
  readonly place: JobListPlace;
  readonly close: () => void;
}

/** How far an action on many jobs is, and what came of it. */
export function OperationView({ id, place, close }: OperationViewProperties) {
  const [isOver, setOver] = useState(false);
  const { value, error, reload } = usePolled(id, isOver ? 0 : EVERY, (signal) =>
    api.jobOperation(id, signal),
  );
  const isEnded = value !== undefined && value.state !== "RUNNING";
  useEffect(() => setOver(isEnded), [isEnded]);
  return (
    <>
      <ErrorNote error={error} retry={reload} />
      {value === undefined ? <Loading /> : <Progress operation={value} />}
      <div class="actions">
        {value !== undefined && !isEnded ? (
          <button type="button" onClick={() => void attempt(() => api.stopJobOperation(id))}>
            Stop
          </button>
        ) : null}
        <button type="button" onClick={close}>
          Close
        </button>
        {isEnded && value.action === "resubmit" && value.done > 0 ? (
          <a class="button first" href={newJobsAddress(value, place)} onClick={close}>
            Show the new jobs
          </a>
        ) : null}
      </div>
    </>
  );
}

function Progress({ operation }: { operation: JobOperation }) {
  const { action, state, matches, done, failed, skipped, errors, reason } = operation;
  const over = done + failed + skipped;
  return (
    <div class="stack close">
      {/* oxlint-disable-next-line jsx-a11y/control-has-associated-label -- it has one */}
      <progress max={Math.max(1, matches)} value={over} aria-label="Progress" />
      <p role="status">
        {state === "RUNNING" ? (
          `${countText(over)} of ${countText(matches)}. It goes on if you close this.`
        ) : (
          <strong>
            {countText(done)} {done === 1 ? "job is" : "jobs are"} {DONE[action]}.
          </strong>
        )}
      </p>
      {state === "CANCELLED" ? <p class="soft">It was stopped.</p> : null}
      {reason === undefined ? null : <p class="wrong-key">{reason}</p>}
      {skipped === 0 ? null : <p class="soft">{countText(skipped)} could not be changed.</p>}
      {failed === 0 ? null : (
        <>
          <p class="wrong-key">{countText(failed)} failed:</p>
          <ul class="soft skipped">
            {errors.map(({ id, code, message }) => (
              <li key={id}>
                <code>{id}</code> {message} ({code})
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** The jobs since the operation began: on the endpoint if all are of one. */
function newJobsAddress({ createdAt, jobs = [] }: JobOperation, { endpoint }: JobListPlace): string {
  const endpoints = new Set(jobs.map((job) => job.endpoint));
  const [only = ""] = endpoints.size === 1 && endpoint === undefined ? endpoints : [];
  return listAddress({ endpoint, filters: withFilters({}, { from: createdAt, endpoint: only }) });
}
