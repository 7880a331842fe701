import type { Job } from "../../../domain/job.ts";
import { isTerminal } from "../../../domain/transitions.ts";
import type { Shown } from "../../steps.ts";
import { prepare } from "../sqlite-driver.ts";
import { JOB_COLUMNS, jobOf, type JobRow } from "../sqlite-job-row.ts";
import { sqliteLiveAttempts } from "../sqlite-live-attempt.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteSeen(tables: Tables): StepRunner<"seen"> {
  const { database } = tables;
  const liveAttempts = sqliteLiveAttempts(tables);
  const contact = prepare<never, [endpoint: string, worker: string, now: number]>(
    database,
    `INSERT INTO contact (endpoint, worker, last_contact) VALUES (?1, ?2, ?3)
     ON CONFLICT DO UPDATE SET last_contact = max(last_contact, excluded.last_contact)`,
  );
  const select = prepare<JobRow & { taken_at: number }, [endpoint: string, worker: string]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job WHERE endpoint = ?1 AND holder = ?2`,
  );
  const deny = prepare<never, [seq: number]>(database, "UPDATE job SET denials = denials + 1 WHERE seq = ?1");
  const release = prepare<never, [seq: number]>(database, "UPDATE job SET holder = NULL WHERE seq = ?1");

  return ({ endpoint, worker, shown, deniableBefore }, now) => {
    contact.run(endpoint, worker, now);
    const denied: Job[] = [];
    if (shown.kind === "nothing") return { denied };
    const shows = shownBy(shown);
    for (const row of select.all(endpoint, worker)) {
      if (shows(row.id)) {
        if (!isTerminal(row.state)) liveAttempts.prove(row);
      } else if (row.taken_at <= deniableBefore) {
        if (isTerminal(row.state)) release.run(row.seq);
        else {
          deny.run(row.seq);
          denied.push(jobOf(row, { denials: row.denials + 1 }));
        }
      }
    }
    return { denied };
  };
}

function shownBy(shown: Shown): (id: string) => boolean {
  if (shown.kind !== "these") return () => shown.kind === "all";
  const ids = new Set(shown.ids);
  return (id) => ids.has(id);
}
