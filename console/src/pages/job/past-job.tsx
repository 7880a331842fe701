import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { FoundJob, Session } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Guard } from "../../parts/guard.tsx";
import { jobAddress, type JobListPlace } from "../../parts/job-filters.ts";
import { may } from "../../parts/may.ts";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { type Crumb, PageHead } from "../../parts/page-head.tsx";
import { goToAddress } from "../../parts/route.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { sizeText, spanText, When } from "../../parts/when.tsx";
import { Failure } from "./failure.tsx";
import { Input } from "./in-and-out.tsx";
import { JobCode } from "./job-code.tsx";
import { Origin } from "./job-facts.tsx";
import { RunAgain } from "./run-again.tsx";

interface PastJobProperties {
  readonly session: Session;
  readonly endpoint: string;
  readonly job: string;
  readonly place: JobListPlace;
  readonly from: readonly Crumb[];
  /** The links to the jobs beside it. */
  readonly neighbours: ComponentChildren;
}

/** A job whose result has expired, as the history has it. */
export function PastJob({ session, endpoint, job, place, from, neighbours }: PastJobProperties) {
  const { value, error, reload } = usePolled(`past ${job}`, 0, (signal) => api.foundJob(job, signal));
  const isElsewhere = useRightAddress(endpoint, place, value);
  if (value === undefined || isElsewhere) {
    const isUnknown = error?.code === "JOB_NOT_FOUND";
    return (
      <>
        <PageHead title="Job" from={from} about={<code>{job}</code>}>
          {neighbours}
        </PageHead>
        {isUnknown ? <NoJob /> : <ErrorNote error={error} retry={reload} />}
        {error === undefined ? <Loading /> : null}
      </>
    );
  }
  const { status, error: failure, hasInput, endedAt } = value;
  return (
    <>
      <PageHead
        title="Job"
        from={from}
        about={
          <>
            <code>{job}</code> <Badge state={status} />
          </>
        }
      >
        {neighbours}
        {hasInput && endedAt !== undefined && may(session, "write") ? (
          <PastActions endpoint={endpoint} job={job} />
        ) : null}
      </PageHead>
      <div class="stack">
        {endedAt === undefined ? null : (
          <p class="soft">
            The result of this job has expired. The history keeps its record
            {failure === undefined ? "." : ", with the first 2 kB of its error."}
          </p>
        )}
        {failure === undefined ? null : (
          <Guard what="The error">
            <Failure error={failure} file={undefined} />
          </Guard>
        )}
        <Facts job={value} />
        {hasInput ? (
          <Guard what="The input">
            <Input job={job} />
          </Guard>
        ) : (
          <NoInput start={value.inputStart} />
        )}
      </div>
    </>
  );
}

/** Goes to the job where it is, if its endpoint is not that of the address. Says whether it does. */
function useRightAddress(endpoint: string, place: JobListPlace, job: FoundJob | undefined): boolean {
  // An address can name the endpoint instead of its id.
  const isElsewhere = job !== undefined && endpoint !== job.endpointId && endpoint !== job.endpoint;
  useEffect(() => {
    if (!isElsewhere) return;
    const { endpointId, id } = job;
    const right = place.endpoint === undefined ? place : { ...place, endpoint: endpointId };
    goToAddress(jobAddress(right, { endpoint: endpointId, id }), true);
  }, [isElsewhere]);
  return isElsewhere;
}

function NoJob() {
  return (
    <div class="card">
      <Empty title="This job does not exist, or its record has expired">
        <p>Records are kept for the time of --history of the server, 7 days by default.</p>
      </Empty>
    </div>
  );
}

function PastActions({ endpoint, job }: { endpoint: string; job: string }) {
  const [opened, setOpened] = useState<"run-again" | "code">();
  const close = (): void => setOpened(undefined);
  return (
    <>
      <button type="button" class="first" onClick={() => setOpened("run-again")}>
        Run again
      </button>
      <button type="button" onClick={() => setOpened("code")}>
        Code
      </button>
      {opened === "run-again" ? <RunAgain endpoint={endpoint} job={job} close={close} /> : null}
      {opened === "code" ? <JobCode endpoint={endpoint} job={job} close={close} /> : null}
    </>
  );
}

function Facts({ job }: { job: FoundJob }) {
  const { submittedAt, startedAt, endedAt, executionTime, workerId, version, attempt, tags = [] } = job;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ["Submitted", <When key="submitted" at={submittedAt} />],
    ["Taken", <When key="taken" at={startedAt} />],
    ["Ended", <When key="ended" at={endedAt} />],
    ["Ran", executionTime === undefined ? "–" : spanText(executionTime)],
    ["Attempts", attempt],
    ["Worker", workerId ?? "–"],
    ["Release", version ?? "–"],
    ["Output", job.outputBytes === undefined ? "–" : sizeText(job.outputBytes)],
    ["Tags", tags.length === 0 ? "–" : tags.join(", ")],
  ];
  const { resubmittedFrom: origin } = job;
  const all =
    origin === undefined
      ? facts
      : [...facts, ["Resubmitted from", <Origin key="origin" job={origin} />] as const];
  return (
    <section class="card padded" aria-label="Facts">
      <dl class="facts">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function NoInput({ start }: { start: string | undefined }) {
  return (
    <section class="card panel">
      <header>
        <h2>Input</h2>
      </header>
      <div class="body stack close">
        {start === undefined ? null : <code>{start}</code>}
        <p class="soft">
          The history keeps the first 200 characters of this input. The setting "Inputs in the history" of the
          endpoint keeps all of it.
        </p>
      </div>
    </section>
  );
}
