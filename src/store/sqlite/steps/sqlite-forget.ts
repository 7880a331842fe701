import { TRANSITIONS } from "../../../domain/transitions.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteIdempotency } from "../sqlite-idempotency.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";
import { sqliteWholeJobs } from "../sqlite-whole-job.ts";

export function sqliteForget(tables: Tables): StepRunner<"forget"> {
  const { database } = tables;
  const { remove } = sqliteWholeJobs(tables);
  const states = TRANSITIONS.forget.from.map((state) => `'${state}'`).join(", ");
  // The states are those with an end, which the index is of.
  const due = `SELECT seq FROM job WHERE ended_at IS NOT NULL AND due_at <= ?1 AND state IN (${states})`;
  // Most jobs are one row and nothing else: they go in one statement.
  const removePlain = prepare<never, [now: number, limit: number]>(
    database,
    `DELETE FROM job WHERE seq IN (${due} AND beside = 0 ORDER BY due_at LIMIT ?2)`,
  );
  const selectOthers = prepare<{ seq: number }, [now: number, limit: number]>(
    database,
    `${due} AND beside = 1 ORDER BY due_at LIMIT ?2`,
  );
  const removeContacts = prepare<never, [before: number]>(
    database,
    `DELETE FROM contact
     WHERE last_contact < ?1
       AND NOT EXISTS (
         SELECT 1 FROM job WHERE job.endpoint = contact.endpoint AND job.holder = contact.worker
       )`,
  );

  const keys = sqliteIdempotency(database);

  return ({ limit, contactsBefore }, now) => {
    keys.forget(now, limit);
    removeContacts.run(contactsBefore);
    const plain = removePlain.run(now, limit).changes;
    const others = plain < limit ? selectOthers.all(now, limit - plain) : [];
    for (const { seq } of others) remove({ seq, beside: 1 });
    return { count: plain + others.length };
  };
}
