import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { JOB_STATES, type JobInList } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Command } from "../../parts/copy.tsx";
import { Empty, ErrorNote, Loading } from "../../parts/note.tsx";
import { goTo, to } from "../../parts/route.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { spanText } from "../../parts/when.tsx";
import { snippetsOf } from "../run/snippets.ts";

/** The list of jobs is limited to ten calls in 10 s, so it is read less often than figures are, ms. */
const EVERY = 4_000;

const PAGE = 50;

/** The jobs of an endpoint, the newest first: by state, by id, and page by page through any number. */
export function JobsTab({ endpoint }: { endpoint: string }) {
  const [status, setStatus] = useState("");
  // Cursors of the pages up to this one: the way back.
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const { value, error, reload } = usePolled(
    `${status} ${cursor}`,
    cursor === undefined ? EVERY : 0,
    (signal) => api.requests(endpoint, { status, cursor, limit: PAGE }, signal),
  );
  return (
    <div class="stack close">
      <div class="bar">
        <label>
          <span class="label">State</span>
          <select
            value={status}
            onChange={(event) => {
              setStatus(event.currentTarget.value);
              setCursors([]);
            }}
          >
            <option value="">all</option>
            {JOB_STATES.map((state) => (
              <option key={state} value={state}>
                {state.toLowerCase().replaceAll("_", " ")}
              </option>
            ))}
          </select>
        </label>
        <OpenById endpoint={endpoint} />
      </div>
      <ErrorNote error={error} retry={reload} />
      <div class="card">
        {value === undefined ? (
          error === undefined ? (
            <Loading />
          ) : null
        ) : value.requests.length === 0 && value.nextCursor === undefined ? (
          <NoJobs endpoint={endpoint} status={status} />
        ) : (
          <JobTable endpoint={endpoint} jobs={value.requests} />
        )}
      </div>
      <div class="pager">
        <button
          type="button"
          disabled={cursors.length === 0}
          onClick={() => setCursors(cursors.slice(0, -1))}
        >
          Newer
        </button>
        <span class="soft" aria-live="polite">
          Page {cursors.length + 1}
        </span>
        <button
          type="button"
          disabled={value?.nextCursor === undefined}
          onClick={() => setCursors([...cursors, value?.nextCursor ?? ""])}
        >
          Older
        </button>
      </div>
    </div>
  );
}

function OpenById({ endpoint }: { endpoint: string }) {
  const [id, setId] = useState("");
  return (
    <form
      class="bar grow"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") goTo("endpoints", endpoint, "jobs", id.trim());
      }}
    >
      <label class="grow">
        <span class="label">Id of a job</span>
        <input
          value={id}
          class="mono"
          spellcheck={false}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}

function NoJobs({ endpoint, status }: { endpoint: string; status: string }) {
  if (status !== "") return <Empty title={`No job is ${status.toLowerCase().replaceAll("_", " ")}`} />;
  return (
    <Empty title="No jobs yet">
      <p>Results stay for half an hour, those of runsync for a minute. Send a request:</p>
      <Command label="A request with curl" text={snippetsOf(endpoint, '{"input": {}}').curl} />
    </Empty>
  );
}

function JobTable({ endpoint, jobs }: { endpoint: string; jobs: readonly JobInList[] }) {
  return (
    <div class="scroll">
      <table>
        <caption class="unseen">Jobs</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Waited
            </th>
            <th scope="col" class="number">
              Ran
            </th>
            <th scope="col">Worker</th>
            <th scope="col" class="number">
              Lost
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ id, status, delayTime, executionTime, workerId, retries }) => (
            <tr key={id}>
              <th scope="row" class="mono">
                <a href={to("endpoints", endpoint, "jobs", id)}>{id}</a>
              </th>
              <td>
                <Badge state={status} />
              </td>
              <td class="number">{delayTime === undefined ? "–" : spanText(delayTime)}</td>
              <td class="number">{executionTime === undefined ? "–" : spanText(executionTime)}</td>
              <td class="mono">{workerId ?? "–"}</td>
              <td class="number">{retries ?? 0}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
