import type { ComponentChildren } from "preact";
import { api, inputPath, recordPath } from "../../api.ts";
import type { JobState, Timeline } from "../../answers.ts";
import { Guard } from "../../parts/guard.tsx";
import { memberOf, wholeOf } from "../../parts/json-spans.ts";
import { ErrorNote } from "../../parts/note.tsx";
import { Payload } from "../../parts/payload.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { LiveStream } from "./live-stream.tsx";

interface InAndOutProperties {
  readonly endpoint: string;
  readonly timeline: Timeline;
  readonly isEnded: boolean;
  /** Stands in the place of the output. */
  readonly failure: ComponentChildren;
}

/** The input beside the stream and the output. */
export function InAndOut({ endpoint, timeline, isEnded, failure }: InAndOutProperties) {
  const { id: job, status, attempt: number, chunks } = timeline;
  const hasOutput = isEnded && status !== "FAILED" && status !== "TIMED_OUT";
  const isStreamExpected = !isEnded || chunks.count > 0;
  return (
    <div class={hasOutput || isStreamExpected || failure !== null ? "split" : ""}>
      <Guard what="The input">
        <Input job={job} />
      </Guard>
      <div class="stack">
        <Guard key={`stream ${number} ${isEnded}`} what="The stream">
          <LiveStream endpoint={endpoint} job={job} isExpected={isStreamExpected} />
        </Guard>
        {hasOutput ? (
          <Guard key={`${status} ${number}`} what="The output">
            <Outcome endpoint={endpoint} job={job} status={status} />
          </Guard>
        ) : null}
        {failure}
      </div>
    </div>
  );
}

/** The input of a job. */
export function Input({ job }: { job: string }) {
  const { value, error } = usePolled(`input ${job}`, 0, (signal) => api.input(job, signal));
  if (value === undefined)
    return error === undefined ? <Waiting title="Input" /> : <ErrorNote error={error} />;
  const file = { path: inputPath(job), name: `${job}-input.json` };
  return <Payload title="Input" text={value} at={wholeOf(value)} file={file} />;
}

interface OutcomeProperties {
  readonly endpoint: string;
  readonly job: string;
  readonly status: JobState;
}

function Outcome({ endpoint, job, status }: OutcomeProperties) {
  const isThere = status === "COMPLETED";
  const { value, error } = usePolled(`outcome ${job} ${isThere}`, 0, async (signal) => {
    if (!isThere) return undefined;
    const text = await api.record(endpoint, job, signal);
    return { text, output: await memberOf(text, "output") };
  });
  if (!isThere) return <Waiting title="Output" sentence="The job was cancelled." />;
  if (value === undefined)
    return error === undefined ? <Waiting title="Output" /> : <ErrorNote error={error} />;
  const { text, output } = value;
  if (output === undefined) return <Waiting title="Output" sentence="The job has no output." />;
  const file = { path: recordPath(endpoint, job), name: `${job}.json` };
  return <Payload title="Output" text={text} at={output} file={file} />;
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
