import type { ClaimDeliveries } from "../../delivery-steps.ts";
import {
  CLAIM_COLUMNS,
  sqliteClaimedOf,
  type SqliteClaimRow,
  DELIVERY_COLUMNS,
} from "../sqlite-delivery-row.ts";
import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteClaimDeliveries({ database, payloads }: Tables): StepRunner<"claimDeliveries"> {
  // From one receiver to the next along the index: one with many deliveries costs no more than others.
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
