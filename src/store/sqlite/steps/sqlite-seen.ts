import type { Job } from "../../../domain/job.ts";
import { isTerminal } from "../../../domain/transitions.ts";
import { NO_STRAY, shownBy, strayOf } from "../../shown-jobs.ts";
import { prepare } from "../sqlite-driver.ts";
import { JOB_COLUMNS, jobOf, type JobRow } from "../sqlite-job-row.ts";
import { sqliteLiveAttempts } from "../sqlite-live-attempt.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

type ContactParameters = [
  endpoint: string,
  worker: string,
  now: number,
  pings: number,
  hungUp: number | null,
  stray: string | null,
];

type HeldRow = JobRow & { readonly taken_at: number };

export function sqliteSeen(tables: Tables): StepRunner<"seen"> {
  const { database } = tables;
  const liveAttempts = sqliteLiveAttempts(tables);
  // A ping says nothing of `hung_up`, and renews nothing where that is set.
  const contact = prepare<never, ContactParameters>(
    database,
    `INSERT INTO contact (endpoint, worker, last_contact, pings, hung_up, stray_job, stray_since)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?3)
     ON CONFLICT DO UPDATE
     SET last_contact = CASE WHEN excluded.hung_up IS NULL AND hung_up = 1 THEN last_contact
                             ELSE max(last_contact, excluded.last_contact) END,
         pings = max(pings, excluded.pings), hung_up = ifnull(excluded.hung_up, hung_up),
         stray_job = ifnull(excluded.stray_job, stray_job),
         stray_since = CASE WHEN ifnull(excluded.stray_job, stray_job) IS stray_job THEN stray_since
                            ELSE excluded.stray_since END`,
  );
  const select = prepare<HeldRow, [endpoint: string, worker: string]>(
    database,
    `SELECT ${JOB_COLUMNS} FROM job WHERE endpoint = ?1 AND holder = ?2`,
  );
  const deny = prepare<never, [seq: number]>(database, "UPDATE job SET denials = denials + 1 WHERE seq = ?1");
  const release = prepare<never, [seq: number]>(database, "UPDATE job SET holder = NULL WHERE seq = ?1");

  return (step, now) => {
    const { endpoint, worker, shown, call } = step;
    const held = shown.kind === "nothing" ? [] : select.all(endpoint, worker);
    const hungUp = call === "ping" ? null : call === "hangUp" ? 1 : 0;
    const stray = call === "ping" ? (strayOf(shown, held) ?? NO_STRAY) : null;
    contact.run(endpoint, worker, now, step.pings ? 1 : 0, hungUp, stray);
    const denied: Job[] = [];
    const verdict = shownBy(step, held);
    for (const row of held) {
      const says = verdict(row);
      if (says === "proved" && !isTerminal(row.state)) liveAttempts.prove(row, step.pings ? now : undefined);
      if (says !== "denied") continue;
      if (isTerminal(row.state)) release.run(row.seq);
      else {
        deny.run(row.seq);
        denied.push(jobOf(row, { denials: row.denials + 1 }));
      }
    }
    return { denied };
  };
}
