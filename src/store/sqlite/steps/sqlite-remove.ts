import { prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteRemove({ database, counters, signal }: Tables): StepRunner<"remove"> {
  // The row stays, without its body: other servers learn of the removal from its change number.
  const update = prepare<never, [kind: string, id: string]>(
    database,
    `UPDATE record SET body = NULL, change = (SELECT max(change) + 1 FROM record)
     WHERE kind = ?1 AND id = ?2 AND body IS NOT NULL`,
  );

  return ({ kind, id }) => {
    if (kind === "endpoint" && counters.unfinished(id) > 0) return { outcome: "inUse" };
    if (update.run(kind, id).changes === 0) return { outcome: "absent" };
    if (kind === "endpoint") counters.remove(id);
    signal("remove", kind === "endpoint" ? id : "", id, undefined);
    return { outcome: "removed" };
  };
}
