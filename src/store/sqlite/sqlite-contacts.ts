import type { Contact } from "../job-steps/contact.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

type Parameters = [
  endpoint: string,
  worker: string,
  at: number,
  pings: boolean,
  hungUp: boolean | null,
  stray: string | null,
];

/** Writes what a call says of its worker, together with what is stored, as `bothContacts` does. */
export function sqliteContacts(database: Database): (contact: Contact) => void {
  // A ping says nothing of `hung_up`, and renews nothing where that is set.
  const put = prepare<never, Parameters>(
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

  return ({ endpoint, worker, at, pings, hungUp, stray }) => {
    put.run(endpoint, worker, at, pings, hungUp, stray);
  };
}
