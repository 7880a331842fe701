/** What the parent tells a process that is to be killed. */
export interface CrashOrder {
  readonly directory: string;
  readonly endpoint: string;
  readonly seed: string;
  /** The first time, call, job and position that are free; they never fall from one process to the next. */
  readonly now: number;
  readonly call: number;
  readonly job: number;
  readonly position: number;
}

/** The id of a job by its number: callers find each other's jobs without being told. */
export function jobName(number: number): string {
  return `job-${number}`;
}

export function jobNumber(name: string): number {
  return Number(name.slice("job-".length));
}
