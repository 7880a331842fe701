import { dueAt } from "../../../domain/deadlines.ts";
import type { TakenJob } from "../../../domain/job.ts";
import { TRANSITIONS } from "../../../domain/transitions.ts";
import { prepare } from "../sqlite-driver.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

interface WaitingRow {
  readonly seq: number;
  readonly id: string;
  readonly attempt: number;
  readonly queued_at: number;
  readonly expires_at: number;
  readonly execution_timeout: number;
  readonly low_priority: number;
  readonly bytes: number;
  readonly body: PayloadColumn;
  readonly secret: PayloadColumn | null;
  readonly webhook: Uint8Array | null;
}

export function sqliteTake({ database, payloads, counters, signal }: Tables): StepRunner<"take"> {
  const [from] = TRANSITIONS.take.from;
  // Two statements, because UPDATE … RETURNING costs several times as much, and nobody else writes in
  // between. The casts: bare parameters in an equality or a LIMIT beside ORDER BY make SQLite compile the
  // statement anew at each call.
  const select = prepare<WaitingRow, [endpoint: string, now: number, worker: string, count: number]>(
    database,
    `SELECT seq, id, attempt, queued_at, expires_at, execution_timeout, low_priority, bytes, body, secret,
            webhook
     FROM job
     WHERE endpoint = cast(?1 AS TEXT) AND holder = '' AND expires_at > ?2
       AND (barred IS NULL OR barred <> ?3 OR barred_until <= ?2)
     ORDER BY position
     LIMIT cast(?4 AS INTEGER)`,
  );
  const update = prepare<
    never,
    [
      seq: number,
      from: string,
      to: string,
      worker: string,
      now: number,
      leaseEndsAt: number | null,
      due: number,
    ]
  >(
    database,
    `UPDATE job
     SET state = ?3, holder = ?4, worker = ?4, attempt = attempt + 1, taken_at = ?5, lease_ends_at = ?6,
         due_at = ?7, proved = 0, denials = 0, barred = NULL, barred_until = NULL
     WHERE seq = ?1 AND state = ?2`,
  );

  return ({ endpoint, worker, count, deliveryLease }, now) => {
    // SQLite takes a negative limit for none at all.
    if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`a take of ${count} jobs`);
    const leaseEndsAt = deliveryLease === undefined ? null : now + deliveryLease;
    const taken: TakenJob[] = [];
    let lowPriority = 0;
    let size = 0;
    for (const row of select.all(endpoint, now, worker, count)) {
      const deadlines = { executionTimeout: row.execution_timeout, expiresAt: row.expires_at };
      const due = dueAt.taken(now, deadlines, deliveryLease);
      update.run(row.seq, from, TRANSITIONS.take.to, worker, now, leaseEndsAt, due);
      taken.push({
        id: row.id,
        attempt: row.attempt + 1,
        body: payloads.load(row.body),
        secret: row.secret === null ? undefined : payloads.load(row.secret),
        webhook: row.webhook ?? undefined,
      });
      lowPriority += row.low_priority;
      size += row.bytes;
      signal("take", endpoint, row.id, worker, { lasted: now - row.queued_at });
    }
    if (taken.length > 0) {
      counters.add(endpoint, {
        queued: -taken.length,
        queuedLowPriority: -lowPriority,
        queuedBytes: -size,
        running: taken.length,
      });
    }
    return taken;
  };
}
