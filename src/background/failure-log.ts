import type { Engine } from "../engine/engine.ts";

/** The log lines about one background job: each error once, and a line when the job works again. */
export interface FailureLog {
  failed(error: unknown): void;
  worked(): void;
}

/**
 * A job works again when it has not failed for this long, ms. While the database is down, a job still
 * succeeds now and then, because it has nothing to ask the database.
 */
const CALM = 5_000;

interface Outage {
  readonly since: number;
  last: number;
  failures: number;
  readonly logged: Set<string>;
}

/** `job` is the name of the job. In the log it is the field `duty`. */
export function failureLog({ clock, log }: Pick<Engine, "clock" | "log">, job: string): FailureLog {
  let outage: Outage | undefined;

  return {
    failed(thrown) {
      const now = clock.now();
      outage ??= { since: now, last: now, failures: 0, logged: new Set() };
      outage.last = now;
      outage.failures++;
      const error = String(thrown);
      if (outage.logged.has(error)) return;
      outage.logged.add(error);
      log.error("a background job failed and will be retried", { duty: job, error, cause: causeOf(thrown) });
    },

    worked() {
      if (outage === undefined || clock.now() - outage.last < CALM) return;
      const { since, last, failures } = outage;
      log.info("a background job works again", { duty: job, failures, failedFor: last - since });
      outage = undefined;
    },
  };
}

function causeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && thrown.cause instanceof Error ? String(thrown.cause) : undefined;
}
