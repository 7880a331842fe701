import type { ClaimDeliveries } from "../../delivery-steps.ts";
import { claimedOf } from "../../delivery-row.ts";
import { keyOf } from "../../key-of.ts";
import { ALL, type MemoryDatabase, type MemoryDelivery } from "../memory-database.ts";
import { copyIfAny } from "../payloads.ts";
import { compareTexts, firstOf } from "../table.ts";
import type { MemoryStepRunner } from "../transaction.ts";

export const claimDeliveries: MemoryStepRunner<"claimDeliveries"> = (step, now, { database }) => {
  let bytes = 0;
  const claimed = dueOf(step, now, database).filter(({ size }) => {
    const isWithin = bytes < step.byteLimit;
    bytes += size;
    return isWithin;
  });
  return claimed.map((row) => claim(row, step, database));
};

function claim(row: MemoryDelivery, { owner, until }: ClaimDeliveries, database: MemoryDatabase) {
  const claimed = { ...row, owner, started: row.started + 1 };
  database.deliveries.put({ ...claimed, due_at: until });
  return claimedOf(claimed, { output: copyIfAny(row.output), error: copyIfAny(row.error) });
}

export const recordDeliveries: MemoryStepRunner<"recordDeliveries"> = (step, _now, { database }) => {
  let count = 0;
  for (const { endpoint, id, started, state, dueAt, attempts, last } of step.outcomes) {
    const row = database.deliveries.get(keyOf(endpoint, id));
    if (row?.state !== "PENDING" || row.owner !== step.owner || row.started !== started) continue;
    const { at, status = null, reason = null } = last;
    const outcome = { state, due_at: dueAt, attempts, tried_at: at, status, reason };
    database.deliveries.put({ ...row, ...outcome, owner: undefined });
    count++;
  }
  return { count };
};

export const releaseDeliveries: MemoryStepRunner<"releaseDeliveries"> = ({ owner }, now, { database }) => {
  const rows = [...database.deliveriesByOwner.ascending(owner)];
  for (const row of rows) database.deliveries.put({ ...row, owner: undefined, due_at: now });
  return { count: rows.length };
};

export const redeliver: MemoryStepRunner<"redeliver"> = ({ endpoint, ids }, now, context) => {
  const { database, transaction } = context;
  let count = 0;
  for (const id of new Set(ids)) {
    const row = database.deliveries.get(keyOf(endpoint, id));
    if (row === undefined || row.owner !== undefined) continue;
    const anew = row.state === "PENDING" ? {} : { attempts: 0, started: 0 };
    database.deliveries.put({ ...row, ...anew, state: "PENDING", due_at: now });
    transaction.signal("deliver", endpoint, id, undefined);
    count++;
  }
  return { count };
};

export const forgetDeliveries: MemoryStepRunner<"forgetDeliveries"> = ({ limit }, now, { database }) => {
  const over = firstOf(database.deliveriesByEnd.ascending(ALL), limit, ({ due_at: due }) => due <= now);
  for (const { endpoint, id, output, error } of over) {
    database.deliveries.remove(keyOf(endpoint, id));
    database.payloads.drop(output);
    database.payloads.drop(error);
  }
  return { count: over.length };
};

/** The longest overdue first, of each receiver as many as it has room for. */
function dueOf(step: ClaimDeliveries, now: number, database: MemoryDatabase): MemoryDelivery[] {
  const { each, room, limit } = step;
  const rooms = new Map(room.map(({ receiver, count }) => [receiver, count]));
  const due = [...database.deliveriesByReceiver.groups()].flatMap((receiver) => {
    const count = Math.min(limit, rooms.get(receiver) ?? each);
    return firstOf(database.deliveriesByReceiver.ascending(receiver), count, (row) => row.due_at <= now);
  });
  const byDue = (one: MemoryDelivery, other: MemoryDelivery): number =>
    one.due_at - other.due_at || compareTexts(one.endpoint, other.endpoint) || compareTexts(one.id, other.id);
  return due.toSorted(byDue).slice(0, Math.max(0, limit));
}
