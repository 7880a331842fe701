import { sealedPage } from "../sealed-values.ts";
import type { Store } from "../store.ts";
import { prepare } from "./sqlite-driver.ts";
import type { PayloadColumn } from "./sqlite-payloads.ts";
import type { Tables } from "./sqlite-tables.ts";

interface SealedColumns {
  readonly endpoint: string;
  readonly id: string;
  readonly job: string;
  readonly secret: PayloadColumn | null;
  readonly webhook: Uint8Array | null;
}

type Parameters = [endpoint: string, id: string, looked: number];

/** Reads all encrypted values in rows of jobs and deliveries, along the index of their ids. */
export function sqliteReadSealed({ database, payloads }: Tables): Pick<Store, "sealed"> {
  const select = {
    job: prepare<SealedColumns, Parameters>(
      database,
      `SELECT endpoint, id, id AS job, secret, webhook FROM job
       WHERE (endpoint, id) > (?1, ?2) ORDER BY endpoint, id LIMIT ?3`,
    ),
    delivery: prepare<SealedColumns, Parameters>(
      database,
      `SELECT endpoint, id, job, NULL AS secret, webhook FROM delivery
       WHERE (endpoint, id) > (?1, ?2) ORDER BY endpoint, id LIMIT ?3`,
    ),
  };

  return {
    async sealed(table, after, looked) {
      const rows = select[table].all(after?.endpoint ?? "", after?.id ?? "", looked);
      const read = rows.map(({ endpoint, id, job, secret, webhook }) => ({
        endpoint,
        id,
        job,
        secret: secret === null ? undefined : payloads.load(secret),
        webhook: webhook ?? undefined,
      }));
      return sealedPage(table, read, looked);
    },
  };
}
