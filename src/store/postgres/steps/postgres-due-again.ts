import { array } from "../postgres-driver.ts";
import type { LoneStepRunner } from "../postgres-step.ts";

const RELEASE = "UPDATE forebay.delivery SET owner = NULL, due_at = $2 WHERE owner = $1 RETURNING id";

const REDELIVER = `
  UPDATE forebay.delivery
  SET attempts = CASE state WHEN 'PENDING' THEN attempts ELSE 0 END,
      started = CASE state WHEN 'PENDING' THEN started ELSE 0 END, state = 'PENDING', due_at = $3
  WHERE endpoint = $1 AND id = ANY($2::text[]) AND owner IS NULL
  RETURNING id`;

export const postgresReleaseDeliveries: LoneStepRunner<"releaseDeliveries"> = async (
  { owner },
  now,
  _unit,
  connection,
) => ({ count: (await connection.query(RELEASE, [owner, now])).length });

export const postgresRedeliver: LoneStepRunner<"redeliver"> = async (
  { endpoint, ids },
  now,
  unit,
  connection,
) => {
  const rows = await connection.query<{ id: string }>(REDELIVER, [endpoint, array([...ids], "text"), now]);
  for (const { id } of rows) unit.signal("deliver", endpoint, id, undefined);
  return { count: rows.length };
};
