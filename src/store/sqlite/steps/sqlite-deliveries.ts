import type { DeliveryState } from "../../../domain/delivery.ts";
import type { ClaimDeliveries } from "../../delivery-steps.ts";
import { prepare } from "../sqlite-driver.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import {
  CLAIM_COLUMNS,
  DELIVERY_COLUMNS,
  sqliteClaimedOf,
  type SqliteClaimRow,
} from "../sqlite-read-deliveries.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteClaimDeliveries({ database, payloads }: Tables): StepRunner<"claimDeliveries"> {
  // Goes from one receiver to the next along the index, so a receiver with many deliveries costs no more.
  const selectReceiver = prepare<{ receiver: string }, [after: string]>(
    database,
    `SELECT receiver FROM delivery WHERE state = 'PENDING' AND receiver > cast(?1 AS TEXT)
     ORDER BY receiver LIMIT 1`,
  );
  const selectDue = prepare<SqliteClaimRow, [receiver: string, now: number, limit: number]>(
    database,
    `SELECT ${DELIVERY_COLUMNS}, ${CLAIM_COLUMNS} FROM delivery
     WHERE state = 'PENDING' AND receiver = cast(?1 AS TEXT) AND due_at <= ?2
     ORDER BY due_at LIMIT cast(?3 AS INTEGER)`,
  );
  const update = prepare<never, [seq: number, owner: string, until: number]>(
    database,
    "UPDATE delivery SET owner = ?2, due_at = ?3, started = started + 1 WHERE seq = ?1",
  );

  function due({ each, room, limit }: ClaimDeliveries, now: number): SqliteClaimRow[] {
    const rows: SqliteClaimRow[] = [];
    const rooms = new Map(room.map(({ receiver, count }) => [receiver, count]));
    for (let next = selectReceiver.get(""); next !== null; next = selectReceiver.get(next.receiver)) {
      const count = Math.min(limit, rooms.get(next.receiver) ?? each);
      if (count > 0) rows.push(...selectDue.all(next.receiver, now, count));
    }
    return rows.toSorted((a, b) => a.due_at - b.due_at).slice(0, limit);
  }

  return (step, now) => {
    if (step.limit < 1) return [];
    let bytes = 0;
    const rows = due(step, now).filter(({ size }) => {
      const isWithin = bytes < step.byteLimit;
      bytes += size;
      return isWithin;
    });
    for (const { seq } of rows) update.run(seq, step.owner, step.until);
    return rows.map((row) => sqliteClaimedOf(row, payloads));
  };
}

type OutcomeParameters = [
  endpoint: string,
  id: string,
  owner: string,
  started: number,
  state: DeliveryState,
  due: number,
  attempts: number,
  at: number,
  status: number | null,
  reason: string | null,
];

export function sqliteRecordDeliveries({ database }: Tables): StepRunner<"recordDeliveries"> {
  const update = prepare<never, OutcomeParameters>(
    database,
    `UPDATE delivery
     SET state = ?5, due_at = ?6, owner = NULL, attempts = ?7, tried_at = ?8, status = ?9, reason = ?10
     WHERE endpoint = ?1 AND id = ?2 AND state = 'PENDING' AND owner = ?3 AND started = ?4`,
  );

  return ({ owner, outcomes }) => {
    let count = 0;
    for (const { endpoint, id, started, state, dueAt, attempts, last } of outcomes) {
      const { at, status = null, reason = null } = last;
      count += update.run(endpoint, id, owner, started, state, dueAt, attempts, at, status, reason).changes;
    }
    return { count };
  };
}

export function sqliteReleaseDeliveries({ database }: Tables): StepRunner<"releaseDeliveries"> {
  const update = prepare<never, [owner: string, now: number]>(
    database,
    "UPDATE delivery SET owner = NULL, due_at = ?2 WHERE owner = ?1",
  );

  return ({ owner }, now) => ({ count: update.run(owner, now).changes });
}

export function sqliteRedeliver({ database, signal }: Tables): StepRunner<"redeliver"> {
  const update = prepare<never, [endpoint: string, id: string, now: number]>(
    database,
    `UPDATE delivery
     SET attempts = CASE state WHEN 'PENDING' THEN attempts ELSE 0 END,
         started = CASE state WHEN 'PENDING' THEN started ELSE 0 END, state = 'PENDING', due_at = ?3
     WHERE endpoint = ?1 AND id = ?2 AND owner IS NULL`,
  );

  return ({ endpoint, ids }, now) => {
    const due = ids.filter((id) => update.run(endpoint, id, now).changes > 0);
    for (const id of due) signal("deliver", endpoint, id, undefined);
    return { count: due.length };
  };
}

interface EndedRow {
  readonly seq: number;
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
}

export function sqliteForgetDeliveries({ database, payloads }: Tables): StepRunner<"forgetDeliveries"> {
  const select = prepare<EndedRow, [now: number, limit: number]>(
    database,
    `SELECT seq, output, error FROM delivery
     WHERE state <> 'PENDING' AND due_at <= ?1 ORDER BY due_at LIMIT cast(?2 AS INTEGER)`,
  );
  const remove = prepare<never, [seq: number]>(database, "DELETE FROM delivery WHERE seq = ?1");

  return ({ limit }, now) => {
    const rows = select.all(now, limit);
    for (const { seq, output, error } of rows) {
      payloads.drop(output);
      payloads.drop(error);
      remove.run(seq);
    }
    return { count: rows.length };
  };
}
