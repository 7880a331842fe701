import type { JobState } from "../../domain/transitions.ts";
import type { Parameter } from "./postgres-driver.ts";
import {
  columnNames,
  JOB_COLUMN_TYPES,
  type JobColumn,
  type JobRow,
  type TrackedJob,
} from "./postgres-job-row.ts";
import { rowsAsTable } from "./postgres-rows-as-table.ts";

type Write = (text: string, parameters: readonly Parameter[]) => void;

/** Writes rows that are new, one statement for all, and those that have changed. */
export function writeJobs(jobs: Iterable<TrackedJob>, write: Write): void {
  const all = [...jobs];
  addJobs(all, write);
  updateJobs(all, write);
}

/** Columns that say nothing in any row are left to their defaults: most of those of a job that waits. */
function addJobs(jobs: readonly TrackedJob[], write: Write): void {
  const rows = jobs.filter(({ before }) => before === undefined).map(({ row }) => row);
  if (rows.length === 0) return;
  const columns = columnNames().filter((column) => rows.some((row) => !isDefault(column, row[column])));
  const { source, parameters } = rowsAsTable(rows, columns, SAME_IN_NEW);
  write(
    `INSERT INTO forebay.job (${columns.join(", ")}) SELECT ${columns.join(", ")} FROM ${source}`,
    parameters,
  );
}

function isDefault(column: JobColumn, value: JobRow[JobColumn]): boolean {
  if (value === 0) return JOB_COLUMN_TYPES[column] === "integer";
  return value === undefined || value === null || value === false;
}

/** Rows that change in the same columns share a statement, and those that are locked have their own. */
function updateJobs(jobs: readonly TrackedJob[], write: Write): void {
  const groups = new Map<string, Update>();
  for (const { row, before, version } of jobs) {
    if (before === undefined || before === row) continue;
    const columns = columnNames().filter((column) => isChanged(column, row, before));
    if (columns.length === 0) continue;
    const name = `${columns.join()} ${version === undefined}`;
    const group = groups.get(name) ?? { columns, rows: [], versions: [] };
    groups.set(name, group);
    group.rows.push(row);
    if (version !== undefined) group.versions.push(version);
  }
  for (const { columns, rows, versions } of groups.values()) {
    const { source, parameters } = rowsAsTable(
      rows,
      ["endpoint", "id", ...columns],
      SAME_IN_CHANGED,
      versions,
    );
    const update = `
      UPDATE forebay.job SET ${columns.map((column) => `${column} = given.${column}`).join(", ")}
      FROM ${source}`;
    if (versions.length === 0) write(`${update} WHERE ${SAME_JOB}`, parameters);
    else write(ifUnchanged(update, `$${parameters.push(rows.length)}::integer`), parameters);
  }
}

interface Update {
  readonly columns: readonly JobColumn[];
  readonly rows: JobRow[];
  /** Of each row, or of none. */
  readonly versions: string[];
}

const SAME_JOB = "job.endpoint = given.endpoint AND job.id = given.id";

/** Divides by zero when a row is not of the transaction that it was written by: `isStale` knows the error. */
function ifUnchanged(update: string, count: string): string {
  return `
    WITH changed AS (${update}
      WHERE ${SAME_JOB} AND job.xmin = given.version RETURNING 1
    )
    SELECT 1 / (count(*) = ${count})::integer FROM changed`;
}

/** In which states a row can have these; its CHECKs say so. */
const RESULT_STATES: Partial<Record<JobColumn, readonly JobState[]>> = {
  output: ["COMPLETED"],
  error: ["FAILED", "TIMED_OUT"],
  progress: ["IN_PROGRESS"],
};

/** Contents that were not read are undefined. The body of a row never changes: it is read after the lock. */
function isChanged(column: JobColumn, row: JobRow, before: JobRow): boolean {
  const value = row[column];
  if (value === before[column] || value === undefined || column === "body" || column === "secret")
    return false;
  return value !== null || RESULT_STATES[column]?.includes(before.state) !== false;
}

/**
 * Columns that mostly have one value in all new jobs of a statement, and in all changed ones. Not the
 * endpoint of changed jobs: with it the planner reads all its jobs to find the few that are named.
 */
const SAME_IN_NEW = new Set<JobColumn>([
  "endpoint",
  "state",
  "holder",
  "ttl",
  "execution_timeout",
  "retention",
  "low_priority",
]);
const SAME_IN_CHANGED = new Set<JobColumn>([
  "state",
  "holder",
  "worker",
  "attempt",
  "taken_at",
  "lease_ends_at",
  "ended_at",
]);
