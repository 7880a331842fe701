import { headlineOf, jobErrorOf } from "../../../../src/domain/job-error.ts";
import { Badge } from "../../parts/badge.tsx";
import { CopyIcon } from "../../parts/copy.tsx";
import { jobAddress, type JobListPlace, listAddress, withFilters } from "../../parts/job-filters.ts";
import { to } from "../../parts/route.ts";
import { spanText, When } from "../../parts/when.tsx";
import type { ListedJob } from "./found-list.ts";

interface JobRowProperties {
  readonly job: ListedJob;
  readonly place: JobListPlace;
  readonly isChosen: boolean;
  readonly choose: (id: string, isChosen: boolean) => void;
}

/** A job in a list. */
export function JobRow({ job, place, isChosen, choose }: JobRowProperties) {
  const { id, endpointId, endpoint, status, submittedAt, executionTime, isGone } = job;
  return (
    <tr class={isChosen ? "picked" : undefined}>
      <td class="choose">
        <input
          type="checkbox"
          aria-label={`Select ${id}`}
          checked={isChosen}
          onChange={(event) => choose(id, event.currentTarget.checked)}
        />
      </td>
      <td>
        <When at={submittedAt} />
      </td>
      <th scope="row" class="mono short-id">
        <a href={jobAddress(place, { endpoint: endpointId, id })} title={id} aria-label={id}>
          {shortId(id)}
        </a>
        <CopyIcon id={id} />
      </th>
      <td>
        <Badge state={isGone ? "REMOVED" : status} />
      </td>
      {place.endpoint === undefined ? (
        <td class="cut">
          <a href={to("endpoints", endpointId)} title={endpoint}>
            {endpoint}
          </a>
        </td>
      ) : null}
      <td class="number">{executionTime === undefined ? "–" : spanText(executionTime)}</td>
      <td class="cut">
        <FirstWords job={job} />
      </td>
      <td>
        <Tags job={job} place={place} />
      </td>
    </tr>
  );
}

/** The time of a job is the beginning of its id: so much of it is one job almost always. */
const SHORT = 13;

/** The beginning of an id, by which the job is found as well. */
export function shortId(id: string): string {
  const start = id.startsWith("sync-") ? "sync-".length : 0;
  return id.slice(0, start + SHORT);
}

/** Longer ones are cut by the width of the column anyway. */
const WORDS = 300;

function FirstWords({ job: { error, inputStart } }: { job: ListedJob }) {
  if (error !== undefined) {
    const line = firstLine(error).slice(0, WORDS);
    return (
      <span class="failed-with" title={line}>
        {line}
      </span>
    );
  }
  if (inputStart === undefined) return <span class="soft">–</span>;
  const words = inputStart.slice(0, WORDS);
  return (
    <code class="soft" title={words}>
      {words}
    </code>
  );
}

/** The first line of an error; of an exception its type and message. */
export function firstLine(error: string): string {
  const headline = headlineOf(jobErrorOf(error));
  return (headline.trim() === "" ? error : headline).trimStart().split("\n")[0] ?? "";
}

/** So many tags have room in a row, cut if they are long. */
const SHOWN_TAGS = 2;

function Tags({ job: { tags = [] }, place: { endpoint, filters } }: { job: ListedJob; place: JobListPlace }) {
  if (tags.length === 0) return null;
  const hidden = tags.length - SHOWN_TAGS;
  return (
    <div class="tags" title={tags.join(", ")}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <a
          key={tag}
          class="mark tag"
          href={listAddress({ endpoint, filters: withFilters(filters, { tag }) })}
        >
          {tag}
        </a>
      ))}
      {hidden > 0 ? <small class="soft">+{hidden}</small> : null}
    </div>
  );
}
