import type { ResealedValue } from "../../sealed-values.ts";
import type { Connection } from "../postgres-driver.ts";
import { columnsOf } from "../postgres-payload-columns.ts";
import type { LoneStepRunner, Transaction } from "../postgres-transaction.ts";

/** `bytes` stays what was submitted, as the counters of the queue have it. */
const REPLACE = {
  secret: `
    UPDATE forebay.job SET secret = $3, secret_ref = $4
    WHERE endpoint = $1 AND id = $2
      AND (secret = $5 OR secret = $7 OR secret_ref = $6)
    RETURNING id`,
  webhook: `
    UPDATE forebay.job SET webhook = $3 WHERE endpoint = $1 AND id = $2 AND webhook = $4 RETURNING id`,
  delivery: `
    UPDATE forebay.delivery SET webhook = $3 WHERE endpoint = $1 AND id = $2 AND webhook = $4 RETURNING id`,
} as const;

export const postgresReseal: LoneStepRunner<"reseal"> = async ({ values }, _now, transaction, connection) => {
  const answers: boolean[] = [];
  for (const value of values) answers.push(await replace(value, transaction, connection));
  return answers;
};

async function replace(
  value: ResealedValue,
  transaction: Transaction,
  connection: Connection,
): Promise<boolean> {
  const { of, endpoint, id } = value;
  // A webhook carries no digest: to open it is to check it. A secret may have been written without one.
  const before = columnsOf(value.sealed, false);
  const rows = await connection.query(REPLACE[of], [endpoint, id, ...columns()]);
  if (rows.length === 0) return false;
  transaction.keep(value.by);
  transaction.drop(before.ref);
  return true;

  function columns() {
    if (of !== "secret") return [columnsOf(value.by, false).content, before.content];
    const by = columnsOf(value.by, transaction.isDigested);
    return [by.content, by.ref, before.content, before.ref, columnsOf(value.sealed, true).content];
  }
}
