import type { ResealedValue } from "../../sealed-values.ts";
import type { Connection } from "../postgres-driver.ts";
import { columnsOf } from "../postgres-payload-columns.ts";
import type { LoneStepRunner } from "../postgres-step.ts";
import type { Unit } from "../postgres-unit.ts";

/** `bytes` stays what was submitted, as the counters of the queue have it. */
const REPLACE = {
  secret: `
    UPDATE forebay.job SET secret = $3, secret_ref = $4
    WHERE endpoint = $1 AND id = $2
      AND secret IS NOT DISTINCT FROM $5 AND secret_ref IS NOT DISTINCT FROM $6
    RETURNING id`,
  webhook: `
    UPDATE forebay.job SET webhook = $3 WHERE endpoint = $1 AND id = $2 AND webhook = $4 RETURNING id`,
  delivery: `
    UPDATE forebay.delivery SET webhook = $3 WHERE endpoint = $1 AND id = $2 AND webhook = $4 RETURNING id`,
} as const;

export const postgresReseal: LoneStepRunner<"reseal"> = async ({ values }, _now, unit, connection) => {
  const answers: boolean[] = [];
  for (const value of values) answers.push(await replace(value, unit, connection));
  return answers;
};

async function replace(value: ResealedValue, unit: Unit, connection: Connection): Promise<boolean> {
  const { of, endpoint, id } = value;
  const by = columnsOf(value.by);
  const before = columnsOf(value.sealed);
  const columns =
    of === "secret" ? [by.content, by.ref, before.content, before.ref] : [by.content, before.content];
  const rows = await connection.query(REPLACE[of], [endpoint, id, ...columns]);
  if (rows.length === 0) return false;
  unit.keep(value.by);
  unit.drop(before.ref);
  return true;
}
