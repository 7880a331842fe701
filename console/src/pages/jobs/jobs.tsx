import type { Session } from "../../answers.ts";
import { filtersIn } from "../../parts/job-filters.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { JobList } from "./job-list.tsx";

/** Finds jobs on all endpoints that the key opens. */
export function JobsPage({ session, query }: { session: Session; query: URLSearchParams }) {
  return (
    <>
      <PageHead title="Jobs" />
      <JobList session={session} place={{ endpoint: undefined, filters: filtersIn(query) }} />
    </>
  );
}
