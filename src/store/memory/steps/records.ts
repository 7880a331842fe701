import { addFigures, figuresText, parseFigures } from "../../../domain/figures.ts";
import { allocatedTo, isTaken } from "../../allocations.ts";
import type { Put, RecordUse, Remove, RecordStepAnswers } from "../../record-steps.ts";
import { overRecordLimit } from "../../record-steps.ts";
import { keyOf } from "../../key-of.ts";
import { ALL, type MemoryDatabase, nameKey, recordKey, statisticsKey } from "../memory-database.ts";
import { firstOf } from "../table.ts";
import type { MemoryStepRunner } from "../transaction.ts";

export const put: MemoryStepRunner<"put"> = (step, _now, { database, transaction }) => {
  const refusal = refusalOf(step, database);
  if (refusal !== undefined) return { outcome: refusal };
  const { kind, id, account, name, version, body } = step.record;
  const change = lastChange(database) + 1;
  database.records.put({ kind, id, account, name, version, change, body, removedAt: undefined });
  const allocated = step.allocation === undefined ? [] : allocatedTo(id, step.allocation);
  for (const row of allocated) database.allocations.put(row);
  if (kind === "endpoint") database.counters.create(id);
  transaction.signal("put", kind === "endpoint" ? id : "", id, undefined);
  return { outcome: "written" };
};

export const remove: MemoryStepRunner<"remove"> = (step, now, { database, transaction }) => {
  const { kind, id, past } = step;
  const isEndpoint = kind === "endpoint";
  const counts = isEndpoint ? database.counters.of(id) : undefined;
  if (counts !== undefined && counts.queued + counts.running > 0) return { outcome: "inUse" };
  if (isNamed(step, database)) return { outcome: "inUse" };
  const row = database.records.get(recordKey(kind, id));
  if (row?.body === undefined) return { outcome: "absent" };
  // The row stays, without its body: other servers learn of the removal from its change number.
  database.records.put({ ...row, change: lastChange(database) + 1, body: undefined, removedAt: now });
  if (isEndpoint) removeEndpoint(id, database);
  if (kind === "worker") freeDevices(id, database);
  if (past !== undefined && database.counters.has(past.endpoint)) {
    database.pastWorkers.put({ ...past, id, removedAt: now });
  }
  transaction.signal("remove", isEndpoint ? id : "", id, undefined);
  return { outcome: "removed" };
};

export const addStatistics: MemoryStepRunner<"addStatistics"> = ({ server, slots }, _now, { database }) => {
  const given = slots.filter(({ endpoint }) => database.counters.has(endpoint));
  for (const { endpoint, width, at, figures } of given) {
    const before = database.statistics.get(statisticsKey({ endpoint, width, at, server }));
    const sum = before === undefined ? figures : parseFigures(before.figures);
    if (before !== undefined) addFigures(sum, figures);
    database.statistics.put({ endpoint, width, at, server, figures: figuresText(sum) });
  }
  return { count: given.length };
};

export const forgetStatistics: MemoryStepRunner<"forgetStatistics"> = (step, _now, { database }) => {
  const rows = database.statisticsByTime.ascending(String(step.width));
  const over = firstOf(rows, step.limit, ({ at }) => at < step.before);
  for (const row of over) database.statistics.remove(statisticsKey(row));
  return { count: over.length };
};

type Refusal = Exclude<RecordStepAnswers["put"]["outcome"], "written">;

function refusalOf(step: Put, database: MemoryDatabase): Refusal | undefined {
  const { record, needs, limit, allocation } = step;
  const { kind, id, account, name, version, body } = record;
  const before = database.records.get(recordKey(kind, id));
  const present = before?.body === undefined ? undefined : { ...before, body: before.body };
  if (version !== (present?.version ?? 0) + 1) return "versionConflict";
  const namesakes = name === null ? [] : [...database.recordsByName.ascending(nameKey(kind, account, name))];
  if (namesakes.some((other) => other.id !== id)) return "nameTaken";
  if (needs !== undefined && database.records.get(recordKey(needs.kind, needs.id))?.body === undefined) {
    return "needMissing";
  }
  if (limit !== undefined) {
    const size = present && Buffer.byteLength(present.body);
    const over = overRecordLimit(limit, usedByOthers(record, database), Buffer.byteLength(body), size);
    if (over !== undefined) return over;
  }
  if (allocation === undefined) return undefined;
  return isTaken(allocation.devices, [...database.allocations.all()]) ? "deviceTaken" : undefined;
}

/** The other records of the kind in the account: if the record has a name, only those with names count. */
function usedByOthers({ kind, account, id, name }: Put["record"], database: MemoryDatabase): RecordUse {
  let records = 0;
  let bytes = 0;
  for (const other of database.recordsByAccount.ascending(recordKey(kind, account))) {
    if (other.id === id) continue;
    if (name === null || other.name !== null) records++;
    bytes += Buffer.byteLength(other.body ?? "");
  }
  return { records, bytes };
}

function isNamed({ id, unlessNamedBy: by }: Remove, { records }: MemoryDatabase): boolean {
  if (by === undefined) return false;
  for (const { kind, body } of records.all()) {
    if (kind === by.kind && body !== undefined && JSON.parse(body)[by.member] === id) return true;
  }
  return false;
}

function removeEndpoint(endpoint: string, database: MemoryDatabase): void {
  const { counters, statistics, pastWorkers, pastWorkersByEndpoint } = database;
  counters.remove(endpoint);
  for (const row of statistics.all()) if (row.endpoint === endpoint) statistics.remove(statisticsKey(row));
  const past = [...pastWorkersByEndpoint.ascending(endpoint)];
  for (const { id } of past) pastWorkers.remove(keyOf(endpoint, id));
}

function freeDevices(worker: string, { allocations }: MemoryDatabase): void {
  const own = [...allocations.all()].filter((row) => row.worker === worker);
  for (const { device } of own) allocations.remove(device);
}

function lastChange({ recordsByChange }: MemoryDatabase): number {
  const [last] = recordsByChange.descending(ALL);
  return last?.change ?? 0;
}
