import type { ClaimedDelivery, DeliveryState } from "../../domain/delivery.ts";
import { type ClaimRow, claimedOf, deliveryOf, type DeliveryRow } from "../delivery-row.ts";
import type { Store } from "../store.ts";
import { prepare } from "./sqlite-driver.ts";
import type { PayloadColumn, Payloads } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

/** The columns that make a `Delivery`. */
export const DELIVERY_COLUMNS = `endpoint, id, job, receiver, state, job_state, ended_at, due_at,
  attempts, started, tried_at, status, reason`;

/** The other columns that an attempt needs. */
export const CLAIM_COLUMNS = "seq, webhook, queued_at, taken_at, worker, losses, output, error, size";

export interface SqliteClaimRow extends ClaimRow {
  /** Its number in this database. */
  readonly seq: number;
  readonly output: PayloadColumn | null;
  readonly error: PayloadColumn | null;
  readonly size: number;
}

/** Above every id. */
const TOP = "n";

type DeliveryReads = Pick<Store, "deliveries" | "delivery">;

/** Reads deliveries along the index of their ids, which are in the order of time. */
export function sqliteReadDeliveries({ database }: Tables): DeliveryReads {
  const selectPage = prepare<
    DeliveryRow,
    [endpoint: string, before: string, floor: string, limit: number, state: DeliveryState | null]
  >(
    database,
    `SELECT ${DELIVERY_COLUMNS} FROM delivery
     WHERE endpoint = ?1 AND id < ?2 AND id >= ?3 AND (?5 IS NULL OR state = ?5)
     ORDER BY id DESC LIMIT ?4`,
  );
  // Reads only the index.
  const selectFloor = prepare<{ id: string }, [endpoint: string, before: string, looked: number]>(
    database,
    "SELECT id FROM delivery WHERE endpoint = ?1 AND id < ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3 - 1",
  );
  const select = prepare<DeliveryRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${DELIVERY_COLUMNS} FROM delivery WHERE endpoint = ?1 AND id = ?2`,
  );

  return {
    async deliveries(endpoint, state, before = TOP, limit, looked) {
      const floor = state === undefined ? undefined : selectFloor.get(endpoint, before, looked)?.id;
      // One more than `limit`, to see whether another one follows.
      const rows = selectPage.all(endpoint, before, floor ?? "", limit + 1, state ?? null);
      const page = rows.slice(0, limit);
      return {
        deliveries: page.map(deliveryOf),
        next: rows.length > limit ? page.at(-1)?.id : floor,
      };
    },

    async delivery(endpoint, id) {
      const row = select.get(endpoint, id);
      return row === null ? undefined : deliveryOf(row);
    },
  };
}

/** The delivery for the attempt that begins with the claim. `row` is as it was before the claim. */
export function sqliteClaimedOf(row: SqliteClaimRow, payloads: Payloads): ClaimedDelivery {
  const load = (column: PayloadColumn | null) => (column === null ? undefined : payloads.load(column));
  const claimed = claimedOf(row, { output: load(row.output), error: load(row.error) });
  return { ...claimed, started: row.started + 1 };
}
