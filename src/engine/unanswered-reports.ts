import type { Clock } from "../domain/clock.ts";

/** Who spoke of which job. */
export interface Reporter {
  readonly endpoint: string;
  readonly job: string;
  readonly worker: string;
}

/**
 * Reports by the public protocol whose workers do not know that they arrived: those that are not answered
 * yet, and for a while those whose answer was 5xx or met a broken connection. Such a worker sends its report
 * again, which names no attempt: with the job's next attempt in its hands it would end that one (race R6).
 * Known to this server alone, and forgotten when it ends.
 */
export interface UnansweredReports {
  /** A report has come. */
  begin(reporter: Reporter): void;
  /** Its call is over; `isAnswered`: its worker has been told that it was kept. */
  end(reporter: Reporter, isAnswered: boolean): void;
  /** The worker that may send a report of the job again; of several the last one. */
  reporterOf(endpoint: string, job: string): string | undefined;
  /** Lets go of what is over. */
  forget(): void;
}

/** `patience`: how long a worker may take to send a report again, ms. */
export function unansweredReports(clock: Clock, patience: number): UnansweredReports {
  const reports = new Map<string, { readonly worker: string; readonly until: number }>();
  const keyOf = (endpoint: string, job: string): string => `${endpoint}/${job}`;

  return {
    begin({ endpoint, job, worker }) {
      reports.set(keyOf(endpoint, job), { worker, until: Number.POSITIVE_INFINITY });
    },

    end({ endpoint, job, worker }, isAnswered) {
      const key = keyOf(endpoint, job);
      if (!isAnswered) reports.set(key, { worker, until: clock.now() + patience });
      else if (reports.get(key)?.worker === worker) reports.delete(key);
    },

    reporterOf(endpoint, job) {
      const report = reports.get(keyOf(endpoint, job));
      return report !== undefined && clock.now() < report.until ? report.worker : undefined;
    },

    forget() {
      const now = clock.now();
      for (const [key, { until }] of reports) if (until <= now) reports.delete(key);
    },
  };
}
