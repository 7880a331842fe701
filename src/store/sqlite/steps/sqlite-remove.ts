import { sqliteAllocations } from "../sqlite-allocations.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqlitePastWorkers } from "../sqlite-past-workers.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteRemove({ database, counters, signal }: Tables): StepRunner<"remove"> {
  // The row stays, without its body: other servers learn of the removal from its change number.
  const update = prepare<never, [kind: string, id: string]>(
    database,
    `UPDATE record SET body = NULL, change = (SELECT max(change) + 1 FROM record)
     WHERE kind = ?1 AND id = ?2 AND body IS NOT NULL`,
  );

  const selectNaming = prepare<{ id: string }, [kind: string, member: string, named: string]>(
    database,
    `SELECT id FROM record
     WHERE kind = ?1 AND body IS NOT NULL AND json_extract(body, '$.' || ?2) = ?3 LIMIT 1`,
  );

  const removeStatistics = prepare<never, [endpoint: string]>(
    database,
    "DELETE FROM statistics WHERE endpoint = ?1",
  );

  const allocations = sqliteAllocations(database);
  const pastWorkers = sqlitePastWorkers(database);

  return ({ kind, id, unlessNamedBy: by, past }, now) => {
    if (kind === "endpoint" && counters.unfinished(id) > 0) return { outcome: "inUse" };
    if (by !== undefined && selectNaming.get(by.kind, by.member, id) !== null) return { outcome: "inUse" };
    if (update.run(kind, id).changes === 0) return { outcome: "absent" };
    if (kind === "endpoint") {
      counters.remove(id);
      removeStatistics.run(id);
      pastWorkers.removeOf(id);
    }
    if (kind === "worker") allocations.remove(id);
    if (past !== undefined && counters.has(past.endpoint)) pastWorkers.add(id, past, now);
    signal("remove", kind === "endpoint" ? id : "", id, undefined);
    return { outcome: "removed" };
  };
}
