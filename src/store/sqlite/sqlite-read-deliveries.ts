import type { DeliveryState } from "../../domain/delivery.ts";
import { deliveryOf, type DeliveryRow } from "../delivery-row.ts";
import type { Store } from "../store.ts";
import { DELIVERY_COLUMNS } from "./sqlite-delivery-row.ts";
import { prepare } from "./sqlite-driver.ts";
import type { Tables } from "./sqlite-tables.ts";

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
