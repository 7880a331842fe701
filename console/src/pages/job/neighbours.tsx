import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../api.ts";
import type { FoundJob } from "../../answers.ts";
import { jobAddress, type JobListPlace, queryOf } from "../../parts/job-filters.ts";
import { type Neighbours as Found, neighboursOf } from "../../parts/job-lists.ts";
import { goToAddress } from "../../parts/route.ts";

const NONE: Found = { above: undefined, below: undefined };

/** Goes to the job above this one in the list from which it was opened, or below it. */
export function Neighbours({ place, job }: { place: JobListPlace; job: string }) {
  const [found, setFound] = useState(NONE);
  const query = queryOf(place).toString();
  useEffect(() => {
    const gone = new AbortController();
    void neighboursOf(query, job, gone.signal)
      .then(setFound)
      .catch((error: unknown) => {
        // The buttons stay disabled.
        if (!gone.signal.aborted && !(error instanceof ApiError)) throw error;
      });
    return () => gone.abort();
  }, [query, job]);
  const open = (to: FoundJob | undefined): void => {
    if (to !== undefined) goToAddress(jobAddress(place, { endpoint: to.endpointId, id: to.id }));
  };
  return (
    <>
      <button type="button" disabled={found.above === undefined} onClick={() => open(found.above)}>
        Previous
      </button>
      <button type="button" disabled={found.below === undefined} onClick={() => open(found.below)}>
        Next
      </button>
    </>
  );
}
