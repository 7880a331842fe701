import { to } from "./route.ts";

/** What a list of jobs can be narrowed by: parameters of `GET /v1/jobs`, which are also in the address. */
const NAMES = [
  "state",
  "endpoint",
  "from",
  "to",
  "error",
  "tag",
  "worker",
  "version",
  "minDuration",
  "id",
] as const;

export type FilterName = (typeof NAMES)[number];

/** The conditions of a list. What is left out narrows nothing. */
export type JobFilters = Readonly<Partial<Record<FilterName, string>>>;

/** A list of jobs: of one endpoint, or of all that the key opens. */
export interface JobListPlace {
  readonly endpoint: string | undefined;
  readonly filters: JobFilters;
}

/** The filters in the query of an address. */
export function filtersIn(query: URLSearchParams): JobFilters {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = query.get(name)?.trim() ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
}

/** The filters after a change; an empty text removes one. */
export function withFilters(filters: JobFilters, changes: JobFilters): JobFilters {
  return filtersIn(new URLSearchParams({ ...filters, ...changes }));
}

/** The states that the list is narrowed to; none: all. */
export function statesOf({ state = "" }: JobFilters): readonly string[] {
  return state.split(",").filter((one) => one !== "");
}

/** What the server is asked for this list. */
export function queryOf({ endpoint, filters }: JobListPlace): URLSearchParams {
  return new URLSearchParams({ ...filters, ...(endpoint === undefined ? {} : { endpoint }) });
}

/** The address of a list. */
export function listAddress({ endpoint, filters }: JobListPlace): string {
  const page = endpoint === undefined ? to("jobs") : to("endpoints", endpoint, "jobs");
  return withQuery(page, new URLSearchParams(filters));
}

/** Whether the list that a job was opened from is that of all endpoints. */
const ALL = "all";

/** The address of a job that is opened from a list, which it names. */
export function jobAddress(
  { endpoint, filters }: JobListPlace,
  job: { endpoint: string; id: string },
): string {
  const all = endpoint === undefined ? { [ALL]: "true" } : undefined;
  return withQuery(
    to("endpoints", endpoint ?? job.endpoint, "jobs", job.id),
    new URLSearchParams({ ...all, ...filters }),
  );
}

/** The list that a job was opened from; if its address names none, the jobs of its endpoint. */
export function placeOf(endpoint: string, query: URLSearchParams): JobListPlace {
  return { endpoint: query.has(ALL) ? undefined : endpoint, filters: filtersIn(query) };
}

function withQuery(page: string, query: URLSearchParams): string {
  const text = query.toString();
  return text === "" ? page : `${page}?${text}`;
}
