import { useEffect, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import { goTo } from "../../parts/route.ts";

/** How many jobs are looked at, the newest ones. The list of jobs has all. */
const LOOKED = 1_000;

/** How long a list is used, ms: the server allows ten lists in 10 s. */
const KEPT = 30_000;

interface NewestJobs {
  /** The newest first. */
  readonly ids: readonly string[];
  readonly readAt: number;
}

/** By endpoint. */
const lists = new Map<string, NewestJobs>();

/** Goes to the job that was submitted before this one, or after it. */
export function Neighbours({ endpoint, job }: { endpoint: string; job: string }) {
  const [ids, setIds] = useState<readonly string[]>([]);
  useEffect(() => {
    const gone = new AbortController();
    void newestJobs(endpoint, job, gone.signal)
      .then(setIds)
      .catch((error: unknown) => {
        // The buttons stay disabled.
        if (!gone.signal.aborted && !(error instanceof ApiError)) throw error;
      });
    return () => gone.abort();
  }, [endpoint, job]);
  const at = ids.indexOf(job);
  const open = (id: string | undefined): void => {
    if (id !== undefined) goTo("endpoints", endpoint, "jobs", id);
  };
  const previous = at === -1 ? undefined : ids[at + 1];
  const next = at === -1 ? undefined : ids[at - 1];
  return (
    <>
      <button type="button" disabled={previous === undefined} onClick={() => open(previous)}>
        Previous
      </button>
      <button type="button" disabled={next === undefined} onClick={() => open(next)}>
        Next
      </button>
    </>
  );
}

async function newestJobs(endpoint: string, job: string, signal: AbortSignal): Promise<readonly string[]> {
  const known = lists.get(endpoint);
  const isNew = known !== undefined && Date.now() - known.readAt < KEPT;
  // Behind the newest one, others may have been submitted since.
  if (isNew && known.ids.indexOf(job) > 0) return known.ids;
  const { requests } = await api.requests(endpoint, { limit: LOOKED }, signal);
  const ids = requests.map(({ id }) => id);
  lists.set(endpoint, { ids, readAt: Date.now() });
  return ids;
}
