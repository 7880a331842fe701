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
  /** Its call is over; `isAnswered`: its worker knows that the report was stored. */
  end(reporter: Reporter, isAnswered: boolean): void;
  /** The worker that may send a report of the job again; of several the last one. */
  reporterOf(endpoint: string, job: string): string | undefined;
  /** Lets go of what is over. */
  forget(): void;
}

/** `patience`: how long a worker may take to send a report again, ms. */
export function unansweredReports(clock: Clock, patience: number): UnansweredReports {
  /** By endpoint and job. */
  const reports = new Map<string, Map<string, { readonly worker: string; readonly until: number }>>();

  function set(endpoint: string, job: string, worker: string, until: number): void {
    const ofEndpoint = reports.get(endpoint) ?? new Map();
    reports.set(endpoint, ofEndpoint.set(job, { worker, until }));
  }

  return {
    begin({ endpoint, job, worker }) {
      set(endpoint, job, worker, Number.POSITIVE_INFINITY);
    },

    end({ endpoint, job, worker }, isAnswered) {
      const ofEndpoint = reports.get(endpoint);
      if (!isAnswered) set(endpoint, job, worker, clock.now() + patience);
      else if (ofEndpoint?.get(job)?.worker === worker) ofEndpoint.delete(job);
    },

    reporterOf(endpoint, job) {
      const report = reports.get(endpoint)?.get(job);
      return report !== undefined && clock.now() < report.until ? report.worker : undefined;
    },

    forget() {
      const now = clock.now();
      for (const [endpoint, ofEndpoint] of reports) {
        for (const [job, { until }] of ofEndpoint) if (until <= now) ofEndpoint.delete(job);
        if (ofEndpoint.size === 0) reports.delete(endpoint);
      }
    },
  };
}
