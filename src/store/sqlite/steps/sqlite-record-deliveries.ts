import type { DeliveryState } from "../../../domain/delivery.ts";
import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

type Parameters = [
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
  const update = prepare<never, Parameters>(
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
