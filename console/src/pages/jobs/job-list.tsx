import type { ComponentChildren } from "preact";
import type { Session } from "../../answers.ts";
import { Command } from "../../parts/copy.tsx";
import { Guard } from "../../parts/guard.tsx";
import { filtersIn, type JobListPlace, queryOf } from "../../parts/job-filters.ts";
import { Empty } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { samplesOf } from "../../parts/samples.ts";
import { type Column, TableCard } from "../../parts/table-card.tsx";
import { countText } from "../../parts/when.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { type ListedJob, MOST_NEWS } from "./found-list.ts";
import { JobRow } from "./job-row.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { type FoundJobs, useFoundJobs } from "./use-found-jobs.ts";
import { useSelection } from "./use-selection.ts";

/** Finds jobs on all endpoints that the key opens. */
export function JobsPage({ session, query }: { session: Session; query: URLSearchParams }) {
  return (
    <>
      <PageHead title="Jobs" />
      <JobList session={session} place={{ endpoint: undefined, filters: filtersIn(query) }} />
    </>
  );
}

interface JobListProperties {
  readonly session: Session;
  readonly place: JobListPlace;
}

/** Jobs that wait or run, then those that have ended, the newest first: of one endpoint, or of all. */
export function JobList({ session, place }: JobListProperties) {
  const query = queryOf(place).toString();
  const found = useFoundJobs(query);
  const { list, isOld, isReading, error } = found;
  const listed = isOld ? NO_ROWS : list.jobs;
  const selection = useSelection(query, listed);
  // Until the rows of a new choice are there, those of the old one stay in their places.
  const isNothing = isOld && (list.historyMs === undefined || error !== undefined);
  return (
    <div class="stack close">
      <Guard what="The filters">
        <FilterBar place={place} />
      </Guard>
      <ListBar found={found}>
        <SelectionBar session={session} place={place} listed={listed} found={found} selection={selection} />
      </ListBar>
      <div class={isOld && !isNothing ? "job-list old" : "job-list"} aria-busy={isReading}>
        <TableCard
          caption="Jobs"
          columns={columnsOf(place)}
          rows={isNothing || (isReading && list.jobs.length === 0) ? undefined : list.jobs}
          error={error}
          retry={found.readAgain}
          empty={<NoJobs place={place} isMore={list.cursor !== undefined} />}
        >
          {(job) => (
            <JobRow
              key={job.id}
              job={job}
              place={place}
              isChosen={selection.has(job.id)}
              choose={selection.choose}
            />
          )}
        </TableCard>
      </div>
      <HistoryNote list={found} />
      {list.cursor === undefined || isOld ? null : (
        <div class="pager">
          <button type="button" disabled={isReading} onClick={found.readMore}>
            {isReading ? "Searching…" : "Load more"}
          </button>
        </div>
      )}
    </div>
  );
}

/** Nothing can be done with rows of the filters before. */
const NO_ROWS: readonly ListedJob[] = [];

function columnsOf({ endpoint }: JobListPlace): readonly Column[] {
  return [
    { name: "Select", look: "choose", isUnseen: true },
    { name: "Submitted", look: "at" },
    { name: "Job", look: "of-id" },
    { name: "State", look: "of-state" },
    ...(endpoint === undefined ? [{ name: "Endpoint", look: "of-name" }] : []),
    { name: "Ran", look: "of-span", isNumber: true },
    { name: "Error or input" },
    { name: "Tags", look: "of-name" },
  ];
}

/** How many jobs are listed, and how many came since. Its height is the same with and without news. */
function ListBar({ found, children }: { found: FoundJobs; children: ComponentChildren }) {
  const { list, isOld, isReading, error, readAgain } = found;
  const { jobs, cursor, fresh } = list;
  const more = cursor === undefined ? "" : "+";
  const count = `${countText(jobs.length)}${more} ${jobs.length === 1 ? "job" : "jobs"}`;
  return (
    <div class="list-bar">
      {children}
      <span class="soft" role="status">
        {isOld || (isReading && jobs.length === 0) ? (error === undefined ? "Searching…" : "") : count}
      </span>
      <span role="status">
        {fresh.size === 0 || isOld ? null : (
          <button type="button" class="small news" onClick={readAgain}>
            {freshText(fresh.size)}, show
          </button>
        )}
      </span>
    </div>
  );
}

function freshText(count: number): string {
  if (count >= MOST_NEWS) return `${MOST_NEWS}+ new jobs`;
  return count === 1 ? "1 new job" : `${count} new jobs`;
}

function HistoryNote({ list: { list, isOld } }: { list: FoundJobs }) {
  if (isOld || list.historyMs !== 0) return null;
  return (
    <p class="soft">This server keeps no history (--history 0): the list has only jobs that wait or run.</p>
  );
}

function NoJobs({ place: { endpoint, filters }, isMore }: { place: JobListPlace; isMore: boolean }) {
  // One call looks at about 50,000 jobs.
  if (isMore) return <Empty title="None among the newest jobs. Load more to search older ones." />;
  if (Object.keys(filters).length > 0) return <Empty title="No job matches the filters" />;
  return (
    <Empty title="No jobs yet">
      {endpoint === undefined ? (
        <p>Jobs of all your endpoints appear here.</p>
      ) : (
        <>
          <p>Send a request:</p>
          <Command
            label="Request with curl"
            text={samplesOf(location.origin, endpoint, '{"input": {}}').curl}
          />
        </>
      )}
    </Empty>
  );
}
