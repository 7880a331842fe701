import { sealedPage } from "../sealed-values.ts";
import type { Store } from "../store.ts";
import type { Pool } from "./postgres-driver.ts";
import { orUnavailable } from "./postgres-failure.ts";
import { payloadOf } from "./postgres-payload-columns.ts";

interface SealedColumns {
  readonly endpoint: string;
  readonly id: string;
  readonly job: string;
  readonly secret: Uint8Array | null;
  readonly secret_ref: string | null;
  readonly webhook: Uint8Array | null;
}

const SELECT = {
  job: `
    SELECT endpoint, id, id AS job, secret, secret_ref, webhook FROM forebay.job
    WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT $3`,
  delivery: `
    SELECT endpoint, id, job, NULL::bytea AS secret, NULL::text AS secret_ref, webhook FROM forebay.delivery
    WHERE (endpoint, id) > ($1, $2) ORDER BY endpoint, id LIMIT $3`,
} as const;

/** The read of all that lies sealed in rows of jobs and deliveries, along the index of their ids. */
export function postgresReadSealed(pool: Pool): Pick<Store, "sealed"> {
  return {
    async sealed(table, after, looked) {
      const place = [after?.endpoint ?? "", after?.id ?? "", looked];
      const rows = await orUnavailable(pool.query<SealedColumns>(SELECT[table], place));
      const read = rows.map(({ endpoint, id, job, secret, secret_ref: ref, webhook }) => ({
        endpoint,
        id,
        job,
        secret: payloadOf(secret, ref),
        webhook: webhook ?? undefined,
      }));
      return sealedPage(table, read, looked);
    },
  };
}
