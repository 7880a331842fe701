import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { JOB_STATES, type JobState } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Command } from "../../parts/copy.tsx";
import { Empty } from "../../parts/note.tsx";
import { Pager, usePages } from "../../parts/pages.tsx";
import { goTo, to } from "../../parts/route.ts";
import { StateChoice } from "../../parts/choices.tsx";
import { figures, TableCard } from "../../parts/table-card.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { spanText } from "../../parts/when.tsx";
import { samplesOf } from "../../parts/samples.ts";

/** The list of jobs allows ten calls in 10 s, so it is read less often than statistics, ms. */
const EVERY = 4_000;

const PAGE = 50;

/** The jobs of an endpoint, newest first: by state, by id, and page by page. */
export function JobsTab({ endpoint }: { endpoint: string }) {
  const [status, setStatus] = useState<JobState | "">("");
  const pages = usePages();
  const { cursor } = pages;
  const { value, error, reload } = usePolled(
    `${status} ${cursor}`,
    cursor === undefined ? EVERY : 0,
    (signal) => api.requests(endpoint, { status, cursor, limit: PAGE }, signal),
  );
  return (
    <div class="stack close">
      <div class="bar">
        <StateChoice
          states={JOB_STATES}
          state={status}
          choose={(chosen) => {
            setStatus(chosen);
            pages.begin();
          }}
        />
        <OpenById endpoint={endpoint} />
      </div>
      <TableCard
        caption="Jobs"
        columns={["Job", "State", figures("Waited"), figures("Ran"), "Worker", figures("Lost")]}
        rows={value?.requests}
        error={error}
        retry={reload}
        empty={<NoJobs endpoint={endpoint} status={status} isMore={value?.nextCursor !== undefined} />}
      >
        {({ id, status: state, delayTime, executionTime, workerId, retries }) => (
          <tr key={id}>
            <th scope="row" class="mono">
              <a href={to("endpoints", endpoint, "jobs", id)}>{id}</a>
            </th>
            <td>
              <Badge state={state} />
            </td>
            <td class="number">{delayTime === undefined ? "–" : spanText(delayTime)}</td>
            <td class="number">{executionTime === undefined ? "–" : spanText(executionTime)}</td>
            <td class="mono">{workerId ?? "–"}</td>
            <td class="number">{retries ?? 0}</td>
          </tr>
        )}
      </TableCard>
      <Pager pages={pages} read={value} />
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
        <span class="label">Job id</span>
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

interface NoJobsProperties {
  readonly endpoint: string;
  readonly status: string;
  readonly isMore: boolean;
}

function NoJobs({ endpoint, status, isMore }: NoJobsProperties) {
  // The server searches for a state piece by piece.
  if (isMore) return <Empty title="None on this page. Go to older ones." />;
  if (status !== "") return <Empty title={`No job is ${status.toLowerCase().replaceAll("_", " ")}`} />;
  return (
    <Empty title="No jobs yet">
      <p>Results are kept for 30 minutes (runsync: 1 minute). Send a request:</p>
      <Command label="Request with curl" text={samplesOf(location.origin, endpoint, '{"input": {}}').curl} />
    </Empty>
  );
}
