import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteReleaseDeliveries({ database }: Tables): StepRunner<"releaseDeliveries"> {
  const update = prepare<never, [owner: string, now: number]>(
    database,
    "UPDATE delivery SET owner = NULL, due_at = ?2 WHERE owner = ?1",
  );

  return ({ owner }, now) => ({ count: update.run(owner, now).changes });
}

export function sqliteRedeliver({ database, signal }: Tables): StepRunner<"redeliver"> {
  const update = prepare<never, [endpoint: string, id: string, now: number]>(
    database,
    `UPDATE delivery
     SET attempts = CASE state WHEN 'PENDING' THEN attempts ELSE 0 END,
         started = CASE state WHEN 'PENDING' THEN started ELSE 0 END, state = 'PENDING', due_at = ?3
     WHERE endpoint = ?1 AND id = ?2 AND owner IS NULL`,
  );

  return ({ endpoint, ids }, now) => {
    const due = ids.filter((id) => update.run(endpoint, id, now).changes > 0);
    for (const id of due) signal("deliver", endpoint, id, undefined);
    return { count: due.length };
  };
}
