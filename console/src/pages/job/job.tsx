import { useRef } from "preact/hooks";
import { type ApiError, recordPath } from "../../api.ts";
import type { Session } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Guard } from "../../parts/guard.tsx";
import { type JobListPlace, listAddress } from "../../parts/job-filters.ts";
import { JsonTree } from "../../parts/json-tree.tsx";
import { may } from "../../parts/may.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { type Crumb, PageHead } from "../../parts/page-head.tsx";
import { to } from "../../parts/route.ts";
import { Attempts } from "./attempts.tsx";
import { Failure } from "./failure.tsx";
import { InAndOut } from "./in-and-out.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobFacts } from "./job-facts.tsx";
import { JobLog } from "./job-log.tsx";
import { Neighbours } from "./neighbours.tsx";
import { PastJob } from "./past-job.tsx";
import { type KnownJob, useJob } from "./use-job.ts";

interface JobPageProperties {
  readonly session: Session;
  readonly endpoint: string;
  readonly job: string;
  /** The list from which the job was opened. */
  readonly place: JobListPlace;
}

/** One job: its error, timeline, input, output, logs and actions. */
export function JobPage({ session, endpoint, job, place }: JobPageProperties) {
  const { value, error, reload } = useJob(session, endpoint, job);
  const from = crumbsOf(endpoint, value?.endpointName ?? endpoint, place);
  const neighbours = <Neighbours place={place} job={job} />;
  if (value === undefined && error?.code === "JOB_NOT_FOUND")
    return (
      <PastJob
        session={session}
        endpoint={endpoint}
        job={job}
        place={place}
        from={from}
        neighbours={neighbours}
      />
    );
  if (value === undefined) return <NoTimeline job={job} from={from} error={error} retry={reload} />;
  return (
    <>
      <PageHead
        title="Job"
        from={from}
        about={
          <span aria-live="polite">
            <code>{job}</code> <Badge state={value.timeline.status} />
          </span>
        }
      >
        {neighbours}
        {may(session, "write") ? (
          <JobActions endpoint={endpoint} timeline={value.timeline} changed={reload} />
        ) : null}
      </PageHead>
      <div class="stack">
        <ErrorNote error={error} retry={reload} />
        <JobParts session={session} endpoint={endpoint} job={job} known={value} />
      </div>
    </>
  );
}

interface JobPartsProperties {
  readonly session: Session;
  readonly endpoint: string;
  readonly job: string;
  readonly known: KnownJob;
}

function JobParts({ session, endpoint, job, known }: JobPartsProperties) {
  const { timeline, isEnded, error: failure } = known;
  const { attempt, workerId, progress } = timeline;
  const wasRunning = useRef(false);
  if (!isEnded) wasRunning.current = true;
  const shownFailure =
    failure === undefined ? null : (
      <Guard key={`error ${attempt}`} what="The error">
        <Failure error={failure} file={{ path: recordPath(endpoint, job), name: `${job}.json` }} />
      </Guard>
    );
  return (
    <>
      {wasRunning.current ? null : shownFailure}
      <Guard what="Timeline of the job">
        <JobFacts timeline={timeline} />
      </Guard>
      <Guard what="The timeline">
        <Attempts timeline={timeline} />
      </Guard>
      {progress === undefined ? null : <Progress value={progress} />}
      <InAndOut
        endpoint={endpoint}
        timeline={timeline}
        isEnded={isEnded}
        // Where the page was open before the job failed, nothing moves.
        failure={wasRunning.current ? shownFailure : null}
      />
      {may(session, "manage") ? (
        <Guard key={`${workerId} ${isEnded}`} what="The log">
          <JobLog endpoint={endpoint} job={job} worker={workerId} isFailed={failure !== undefined} />
        </Guard>
      ) : null}
    </>
  );
}

function crumbsOf(endpoint: string, name: string, place: JobListPlace): readonly Crumb[] {
  const jobs = { name: "Jobs", href: listAddress(place) };
  if (place.endpoint === undefined) return [jobs, { name, href: to("endpoints", endpoint) }];
  return [{ name: "Endpoints", href: "#/" }, { name, href: to("endpoints", endpoint) }, jobs];
}

interface NoTimelineProperties {
  readonly job: string;
  readonly from: readonly Crumb[];
  readonly error: ApiError | undefined;
  readonly retry: () => void;
}

/** The page before the timeline is read, or if it cannot be read. */
function NoTimeline({ job, from, error, retry }: NoTimelineProperties) {
  return (
    <>
      <PageHead title="Job" from={from} about={<code>{job}</code>} />
      <ErrorNote error={error} retry={retry} />
      {error === undefined ? <Loading /> : null}
    </>
  );
}

function Progress({ value }: { value: unknown }) {
  return (
    <section class="card panel" aria-live="polite">
      <header>
        <h2>Progress</h2>
      </header>
      <div class="body">
        <Guard what="The progress">
          <JsonTree text={JSON.stringify(value)} />
        </Guard>
      </div>
    </section>
  );
}
