import { deliveryOf, type DeliveryRow } from "../delivery-row.ts";
import type { Store } from "../store.ts";
import { DELIVERY_COLUMNS } from "./postgres-deliveries.ts";
import type { Parameter, Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";

/** Above every id. */
const TOP = "n";

const SELECT_DELIVERIES = `
  SELECT ${DELIVERY_COLUMNS} FROM forebay.delivery
  WHERE endpoint = $1 AND id < $2 AND id >= $3 AND ($5::text IS NULL OR state = $5)
  ORDER BY delivery.id DESC LIMIT $4`;

/** Reads the index and no row. */
const SELECT_DELIVERY_FLOOR = `
  SELECT id FROM forebay.delivery WHERE endpoint = $1 AND id < $2 ORDER BY id DESC LIMIT 1 OFFSET $3 - 1`;

const SELECT_DELIVERY = `SELECT ${DELIVERY_COLUMNS} FROM forebay.delivery WHERE endpoint = $1 AND id = $2`;

/** Reads deliveries along the index of their ids, which are in the order of time. */
export function postgresReadDeliveries(pool: Pool): Pick<Store, "deliveries" | "delivery"> {
  async function rows<Row>(text: string, parameters: readonly Parameter[]): Promise<Row[]> {
    return orUnavailable(pool.query<Row>(text, parameters));
  }

  return {
    async deliveries(endpoint, state, before = TOP, limit, looked) {
      const floors =
        state === undefined
          ? []
          : await rows<{ id: string }>(SELECT_DELIVERY_FLOOR, [endpoint, before, looked]);
      const floor = floors[0]?.id;
      // One more than `limit`, to see whether another one follows.
      const parameters = [endpoint, before, floor ?? "", limit + 1, state ?? null];
      const found = await rows<DeliveryRow>(SELECT_DELIVERIES, parameters);
      const page = found.slice(0, limit);
      return {
        deliveries: page.map(deliveryOf),
        next: found.length > limit ? page.at(-1)?.id : floor,
      };
    },

    async delivery(endpoint, id) {
      const [row] = await rows<DeliveryRow>(SELECT_DELIVERY, [endpoint, id]);
      return row && deliveryOf(row);
    },
  };
}
