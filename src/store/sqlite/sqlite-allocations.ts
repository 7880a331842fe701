import { type AllocatedDevice, allocatedTo, isTaken, type NewAllocation } from "../allocations.ts";
import { type Database, prepare } from "./sqlite-driver.ts";

/** Which worker has which device (decision 0039): a few rows, so that it needs no further index. */
export const ALLOCATION_TABLE = `
  CREATE TABLE allocation (
    -- UUIDs of the device and of its card
    device TEXT PRIMARY KEY,
    card   TEXT NOT NULL,
    host   TEXT NOT NULL,
    -- the id of its record, with which the row goes
    worker TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Reads the whole ledger. */
export const ALLOCATIONS = "SELECT device, card, host, worker FROM allocation ORDER BY device";

export interface SqliteAllocations {
  /** Gives a new worker its devices, and answers true. False, and nothing is written, if one is taken. */
  add(worker: string, allocation: NewAllocation): boolean;
  /** The devices of the worker are free from now on. */
  remove(worker: string): void;
}

/** The ledger, within the open transaction. */
export function sqliteAllocations(database: Database): SqliteAllocations {
  const selectAll = prepare<AllocatedDevice, []>(database, ALLOCATIONS);
  const insert = prepare<never, [device: string, card: string, host: string, worker: string]>(
    database,
    "INSERT INTO allocation (device, card, host, worker) VALUES (?1, ?2, ?3, ?4)",
  );
  const remove = prepare<never, [worker: string]>(database, "DELETE FROM allocation WHERE worker = ?1");

  return {
    add(worker, allocation) {
      if (isTaken(allocation.devices, selectAll.all())) return false;
      for (const { device, card, host } of allocatedTo(worker, allocation)) {
        insert.run(device, card, host, worker);
      }
      return true;
    },

    remove: (worker) => void remove.run(worker),
  };
}
