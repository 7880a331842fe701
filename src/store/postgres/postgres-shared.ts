import type { SharedData } from "../store.ts";
import type { Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";

/** The only question for the time: what is decided by it gets it as a value. */
const SELECT_TIME = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now";

const HOLD = `
  INSERT INTO forebay.duty (name, server, until) VALUES ($1, $2, $4)
  ON CONFLICT (name) DO UPDATE SET server = excluded.server, until = excluded.until
  WHERE duty.server = excluded.server OR duty.until <= $3
  RETURNING name`;

export function postgresShared(pool: Pool): SharedData {
  return {
    async time() {
      const [row] = await orUnavailable(pool.query<{ now: number }>(SELECT_TIME));
      if (row === undefined) throw new Error("the database did not tell the time");
      return Math.floor(row.now);
    },

    async hold(duty, server, now, until) {
      const held = await orUnavailable(pool.query(HOLD, [duty, server, now, until]));
      return held.length > 0;
    },
  };
}
