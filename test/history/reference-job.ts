import type { SeenState } from "./history.ts";

/** One job of the reference, as it is at this moment. */
export interface Job {
  readonly id: string;
  readonly tag: string;
  readonly mayTimeOut: boolean;
  readonly hasWebhook: boolean;
  /** Whether a client or worker was told its id. */
  isKnown: boolean;
  state: SeenState;
  attempt: number;
  holder: Work | undefined;
  /** Workers that got it since its submission or its last retry. */
  run: string[];
  hasChunks: boolean;
  chunks: string[];
  cursor: number;
  result: string | null;
  record: string | undefined;
}

/** A worker that got a job and has not reported it. */
export interface Work {
  readonly job: Job;
  readonly worker: string;
  readonly attempt: number;
  readonly namesAttempt: boolean;
}

/** What a submission and a retry begin with. */
export function fresh() {
  return {
    holder: undefined,
    run: [],
    hasChunks: false,
    chunks: [],
    cursor: 0,
    result: null,
    record: undefined,
  };
}

export function isLate({ job, worker, namesAttempt }: Work): boolean {
  const isOpen = job.state === "IN_QUEUE" || job.state === "IN_PROGRESS";
  return isOpen && !namesAttempt && job.run.includes(worker) && !job.hasChunks;
}
