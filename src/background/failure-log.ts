import type { Engine } from "../engine/engine.ts";

/** What the log says of one duty: each thing that keeps it from its work once, and when it works again. */
export interface DutyLog {
  failed(error: unknown): void;
  worked(): void;
}

/**
 * A duty that has not failed for so long works again, ms: while the database is away a duty still succeeds
 * now and then, because it has nothing to ask.
 */
const CALM = 5_000;

interface Outage {
  readonly since: number;
  last: number;
  failures: number;
  readonly told: Set<string>;
}

export function dutyLog({ clock, log }: Pick<Engine, "clock" | "log">, duty: string): DutyLog {
  let outage: Outage | undefined;

  return {
    failed(thrown) {
      const now = clock.now();
      outage ??= { since: now, last: now, failures: 0, told: new Set() };
      outage.last = now;
      outage.failures++;
      const error = String(thrown);
      if (outage.told.has(error)) return;
      outage.told.add(error);
      log.error("a background job failed and will be retried", { duty, error, cause: causeOf(thrown) });
    },

    worked() {
      if (outage === undefined || clock.now() - outage.last < CALM) return;
      const { since, last, failures } = outage;
      log.info("a background job works again", { duty, failures, failedFor: last - since });
      outage = undefined;
    },
  };
}

function causeOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && thrown.cause instanceof Error ? String(thrown.cause) : undefined;
}
