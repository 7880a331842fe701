import type { Contact } from "../job-steps/contact.ts";
import { array, type Parameter } from "./postgres-driver.ts";

/** Takes what `contactColumns` makes. After a hang-up a ping renews nothing. */
export const ADD_CONTACTS = `
  INSERT INTO forebay.contact (endpoint, worker, last_contact, pings, hung_up, stray_job, stray_since)
  SELECT endpoint, worker, at, pings, hung_up, stray_job, at
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::boolean[], $5::boolean[], $6::text[])
      AS seen (endpoint, worker, at, pings, hung_up, stray_job)
  ORDER BY endpoint, worker
  ON CONFLICT (endpoint, worker) DO UPDATE
  SET last_contact = CASE WHEN excluded.hung_up IS NULL AND contact.hung_up THEN contact.last_contact
                          ELSE greatest(contact.last_contact, excluded.last_contact) END,
      pings = contact.pings OR excluded.pings,
      hung_up = coalesce(excluded.hung_up, contact.hung_up),
      stray_job = coalesce(excluded.stray_job, contact.stray_job),
      stray_since = CASE WHEN excluded.stray_job IS NULL OR excluded.stray_job = contact.stray_job
                         THEN contact.stray_since ELSE excluded.stray_since END`;

export function contactColumns(contacts: readonly Contact[]): Parameter[] {
  return [
    array(
      contacts.map(({ endpoint }) => endpoint),
      "text",
    ),
    array(
      contacts.map(({ worker }) => worker),
      "text",
    ),
    array(
      contacts.map(({ at }) => at),
      "bigint",
    ),
    array(
      contacts.map(({ pings }) => pings),
      "boolean",
    ),
    array(
      contacts.map(({ hungUp }) => hungUp),
      "boolean",
    ),
    array(
      contacts.map(({ stray }) => stray),
      "text",
    ),
  ];
}
