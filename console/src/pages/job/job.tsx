import { useEffect, useState } from "preact/hooks";
import { api, type ApiError, inputPath, recordPath } from "../../api.ts";
import type { JobState, Session, Timeline } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { CutText, JsonTree } from "../../parts/json-tree.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Guard } from "../../parts/guard.tsx";
import { memberOf, type Span, wholeOf } from "../../parts/json-spans.ts";
import { LogView } from "../../parts/log-view.tsx";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Payload } from "../../parts/payload.tsx";
import { goTo, to } from "../../parts/route.ts";
import { attempt, say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { may } from "../../parts/may.ts";
import { Attempts } from "./attempts.tsx";
import { JobFacts } from "./job-facts.tsx";
import { LiveStream } from "./live-stream.tsx";

/** How often the timeline is read, ms: seldom once the job has ended. */
const EVERY = 1_000;
const EVERY_WHEN_ENDED = 15_000;

/** How many characters of an error are shown at first. */
const ERROR_SHOWN = 20_000;

interface JobPageProperties {
  readonly session: Session;
  readonly endpoint: string;
  readonly job: string;
}

/** One job: its timeline, input, output and actions. */
export function JobPage({ session, endpoint, job }: JobPageProperties) {
  const [isOver, setOver] = useState(false);
  const { value, error, reload } = usePolled(job, isOver ? EVERY_WHEN_ENDED : EVERY, (signal) =>
    api.timeline(endpoint, job, signal),
  );
  const status = value?.status;
  const isEnded = status !== undefined && status !== "IN_QUEUE" && status !== "IN_PROGRESS";
  useEffect(() => setOver(isEnded), [isEnded]);
  const from = { name: "Jobs", href: to("endpoints", endpoint, "jobs") };
  if (value === undefined) return <NoTimeline job={job} from={from} error={error} retry={reload} />;
  return (
    <>
      <PageHead
        title="Job"
        from={from}
        about={
          <span aria-live="polite">
            <code>{job}</code> <Badge state={value.status} />
          </span>
        }
      >
        {may(session, "write") ? <JobActions endpoint={endpoint} timeline={value} changed={reload} /> : null}
      </PageHead>
      <div class="stack">
        <ErrorNote error={error} retry={reload} />
        <Guard what="Timeline of the job">
          <JobFacts timeline={value} />
        </Guard>
        <Guard what="The timeline">
          <Attempts timeline={value} />
        </Guard>
        {value.progress === undefined ? null : <Progress value={value.progress} />}
        <InAndOut endpoint={endpoint} timeline={value} isEnded={isEnded} />
        {may(session, "manage") ? (
          <Guard key={`${value.workerId} ${isEnded}`} what="The log">
            <JobLog endpoint={endpoint} job={job} hasWorker={value.workerId !== undefined} />
          </Guard>
        ) : null}
      </div>
    </>
  );
}

interface NoTimelineProperties {
  readonly job: string;
  readonly from: { readonly name: string; readonly href: string };
  readonly error: ApiError | undefined;
  readonly retry: () => void;
}

/** The page before the timeline is read, or if it cannot be read. */
function NoTimeline({ job, from, error, retry }: NoTimelineProperties) {
  return (
    <>
      <PageHead title="Job" from={from} about={<code>{job}</code>} />
      {error?.code === "JOB_NOT_FOUND" ? (
        <div class="card">
          <Empty title="This job does not exist, or its result has expired">
            <p>
              Results are kept for 30 minutes (runsync: 1 minute), unless the settings of the endpoint say
              otherwise.
            </p>
          </Empty>
        </div>
      ) : (
        <ErrorNote error={error} retry={retry} />
      )}
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

interface InAndOutProperties {
  readonly endpoint: string;
  readonly timeline: Timeline;
  readonly isEnded: boolean;
}

/** The input beside the stream and the output. */
function InAndOut({ endpoint, timeline, isEnded }: InAndOutProperties) {
  const { id: job, status, attempt: number, chunks } = timeline;
  return (
    <div class="split">
      <Guard what="The input">
        <Input endpoint={endpoint} job={job} />
      </Guard>
      <div class="stack">
        <Guard key={`stream ${number} ${isEnded}`} what="The stream">
          <LiveStream endpoint={endpoint} job={job} isExpected={!isEnded || chunks.count > 0} />
        </Guard>
        {isEnded ? (
          <Guard key={`${status} ${number}`} what="The output">
            <Outcome endpoint={endpoint} job={job} status={status} />
          </Guard>
        ) : null}
      </div>
    </div>
  );
}

interface JobActionsProperties {
  readonly endpoint: string;
  readonly timeline: Timeline;
  readonly changed: () => void;
}

function JobActions({ endpoint, timeline: { id, status }, changed }: JobActionsProperties) {
  const [isAsked, setAsked] = useState(false);

  async function retry(): Promise<void> {
    await api.retry(endpoint, id);
    say("The job is back in the queue.");
    changed();
  }

  async function runAgain(): Promise<void> {
    const input = await api.input(endpoint, id);
    const answer = await api.submit(endpoint, `{"input":${input}}`);
    const { id: again } = await answer.json();
    say("A new job with the same input is queued.");
    goTo("endpoints", endpoint, "jobs", again);
  }

  return (
    <>
      {status === "FAILED" || status === "TIMED_OUT" ? (
        <button type="button" class="first" onClick={() => void attempt(retry)}>
          Retry
        </button>
      ) : null}
      <button type="button" onClick={() => void attempt(runAgain)}>
        Run again
      </button>
      {status === "IN_QUEUE" || status === "IN_PROGRESS" ? (
        <button type="button" class="danger" onClick={() => setAsked(true)}>
          Cancel
        </button>
      ) : null}
      {isAsked ? (
        <Confirm
          title={`Cancel job ${id}?`}
          verb="Cancel job"
          close={() => setAsked(false)}
          act={async () => {
            await api.cancel(endpoint, id);
            say("The job is cancelled.");
            changed();
          }}
        >
          <p>The job ends now, and its worker stops running it.</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Input({ endpoint, job }: { endpoint: string; job: string }) {
  const { value, error } = usePolled(`input ${job}`, 0, (signal) => api.input(endpoint, job, signal));
  if (value === undefined)
    return error === undefined ? <Waiting title="Input" /> : <ErrorNote error={error} />;
  const file = { path: inputPath(endpoint, job), name: `${job}-input.json` };
  return <Payload title="Input" text={value} at={wholeOf(value)} file={file} />;
}

interface OutcomeProperties {
  readonly endpoint: string;
  readonly job: string;
  readonly status: JobState;
}

function Outcome({ endpoint, job, status }: OutcomeProperties) {
  const isThere = status === "COMPLETED" || status === "FAILED" || status === "TIMED_OUT";
  const { value, error } = usePolled(`outcome ${job} ${isThere}`, 0, async (signal) =>
    isThere ? parted(await api.record(endpoint, job, signal)) : undefined,
  );
  if (!isThere) return <Waiting title="Output" sentence="The job was cancelled." />;
  if (value === undefined)
    return error === undefined ? <Waiting title="Output" /> : <ErrorNote error={error} />;
  const { text, output, failure } = value;
  if (failure !== undefined) {
    return (
      <section class="card panel">
        <header>
          <h2>Error</h2>
        </header>
        <div class="body tall">
          <pre class="failure">
            <CutText text={JSON.parse(text.slice(failure.start, failure.end))} limit={ERROR_SHOWN} />
          </pre>
        </div>
      </section>
    );
  }
  if (output === undefined) return <Waiting title="Output" sentence="No output." />;
  const file = { path: recordPath(endpoint, job), name: `${job}.json` };
  return <Payload title="Output" text={text} at={output} file={file} />;
}

/** The record as text, and the places of output and error in it. */
async function parted(
  text: string,
): Promise<{ text: string; output: Span | undefined; failure: Span | undefined }> {
  return { text, output: await memberOf(text, "output"), failure: await memberOf(text, "error") };
}

function Waiting({ title, sentence = "…" }: { title: string; sentence?: string }) {
  return (
    <section class="card panel">
      <header>
        <h2>{title}</h2>
      </header>
      <div class="body tall soft">{sentence}</div>
    </section>
  );
}

interface JobLogProperties {
  readonly endpoint: string;
  readonly job: string;
  readonly hasWorker: boolean;
}

function JobLog({ endpoint, job, hasWorker }: JobLogProperties) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card panel">
      <header>
        <h2>Logs</h2>
        <button
          type="button"
          class="small"
          disabled={!hasWorker}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide" : "Show"}
        </button>
      </header>
      {isOpen ? (
        <div class="body">
          <LogView path={api.jobLog(endpoint, job)} label="Logs of the job" />
        </div>
      ) : null}
    </section>
  );
}
