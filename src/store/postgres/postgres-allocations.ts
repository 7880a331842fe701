import { type AllocatedDevice, allocatedTo, isTaken, type NewAllocation } from "../allocations.ts";
import { givenRows } from "./postgres-arrays.ts";
import type { Connection } from "./postgres-driver.ts";

/** A server of version 0.1 that removes the record of a worker knows nothing of its devices. */
const HAS_RECORD = `
  EXISTS (SELECT 1 FROM forebay.record
          WHERE record.kind = 'worker' AND record.id = allocation.worker AND record.body IS NOT NULL)`;

/** Reads the whole ledger. */
export const SELECT_ALLOCATIONS = `
  SELECT device, card, host, worker FROM forebay.allocation WHERE ${HAS_RECORD} ORDER BY device`;

const REMOVE_LEFT_OVER = `DELETE FROM forebay.allocation WHERE NOT ${HAS_RECORD}`;

const ROWS = givenRows({ device: "text", card: "text", host: "text", worker: "text" });

const INSERT = `INSERT INTO forebay.allocation (${ROWS.names}) SELECT * FROM ${ROWS.source}`;

/**
 * Gives a new worker its devices, and answers true. False, and nothing is written, if one is taken. The lock
 * on all changes of records keeps the ledger so until the commit; the record follows.
 */
export async function allocate(
  connection: Connection,
  worker: string,
  allocation: NewAllocation,
): Promise<boolean> {
  await connection.query(REMOVE_LEFT_OVER);
  const allocated = await connection.query<AllocatedDevice>(SELECT_ALLOCATIONS);
  if (isTaken(allocation.devices, allocated)) return false;
  await connection.query(INSERT, ROWS.arrays(allocatedTo(worker, allocation)));
  return true;
}

const FREE = "DELETE FROM forebay.allocation WHERE worker = $1";

/** The devices of the worker are free from the commit on. */
export async function freeDevices(connection: Connection, worker: string): Promise<void> {
  await connection.query(FREE, [worker]);
}
