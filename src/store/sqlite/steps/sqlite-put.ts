import type { ConfigurationRecord } from "../../configuration-record.ts";
import { overRecordLimit, type RecordLimit, type RecordUse } from "../../record-steps.ts";
import { sqliteAllocations } from "../sqlite-allocations.ts";
import { type Database, prepare } from "../sqlite-driver.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

type Parameters = [
  kind: string,
  id: string,
  account: string,
  name: string | null,
  version: number,
  change: number,
  body: string,
];

export function sqlitePut({ database, counters, signal }: Tables): StepRunner<"put"> {
  const selectVersion = prepare<{ version: number; body: string | null }, [kind: string, id: string]>(
    database,
    "SELECT version, body FROM record WHERE kind = ?1 AND id = ?2",
  );
  const selectNamesake = prepare<{ id: string }, [kind: string, account: string, name: string, id: string]>(
    database,
    "SELECT id FROM record WHERE kind = ?1 AND account = ?2 AND name = ?3 AND id <> ?4 AND body IS NOT NULL",
  );
  const selectNeeded = prepare<{ id: string }, [kind: string, id: string]>(
    database,
    "SELECT id FROM record WHERE kind = ?1 AND id = ?2 AND body IS NOT NULL",
  );
  const others = recordUse(database);
  const allocations = sqliteAllocations(database);
  const nextChange = prepare<{ change: number }, []>(
    database,
    "SELECT ifnull(max(change), 0) + 1 AS change FROM record",
  );
  const write = prepare<never, Parameters>(
    database,
    `INSERT INTO record (kind, id, account, name, version, change, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT (kind, id) DO UPDATE SET account = ?3, name = ?4, version = ?5, change = ?6, body = ?7`,
  );

  return ({ record, needs, limit, allocation }) => {
    const { kind, id, account, name, version, body } = record;
    const present = selectVersion.get(kind, id);
    const current = present === null || present.body === null ? 0 : present.version;
    if (version !== current + 1) return { outcome: "versionConflict" };
    if (name !== null && selectNamesake.get(kind, account, name, id) !== null)
      return { outcome: "nameTaken" };
    if (needs !== undefined && selectNeeded.get(needs.kind, needs.id) === null)
      return { outcome: "needMissing" };
    if (limit !== undefined) {
      const before = present?.body === null ? undefined : present?.body;
      const size = before === undefined ? undefined : Buffer.byteLength(before);
      const over = overRecordLimit(limit, others(record, limit), Buffer.byteLength(body), size);
      if (over !== undefined) return { outcome: over };
    }
    if (allocation !== undefined && !allocations.add(id, allocation)) return { outcome: "deviceTaken" };
    write.run(kind, id, account, name, version, nextChange.get()?.change ?? 1, body);
    if (kind === "endpoint") counters.create(id);
    signal("put", kind === "endpoint" ? id : "", id, undefined);
    return { outcome: "written" };
  };
}

/** Counts the other records of the account, and their bytes if the limit needs them. */
function recordUse(database: Database): (record: ConfigurationRecord, limit: RecordLimit) => RecordUse {
  // The index of names counts records with names.
  const count = prepare<{ records: number }, [kind: string, account: string, id: string]>(
    database,
    `SELECT count(*) AS records FROM record
     WHERE kind = ?1 AND account = ?2 AND id <> ?3 AND body IS NOT NULL AND name IS NOT NULL`,
  );
  const countNameless = prepare<{ records: number }, [kind: string, account: string, id: string]>(
    database,
    `SELECT count(*) AS records FROM record
     WHERE kind = ?1 AND account = ?2 AND id <> ?3 AND body IS NOT NULL`,
  );
  const measure = prepare<{ bytes: number }, [kind: string, account: string, id: string]>(
    database,
    `SELECT total(octet_length(body)) AS bytes FROM record
     WHERE kind = ?1 AND account = ?2 AND id <> ?3 AND body IS NOT NULL`,
  );

  return ({ kind, account, id, name }, limit) => {
    const { records } = (name === null ? countNameless : count).get(kind, account, id) ?? { records: 0 };
    if (limit.bytes === undefined) return { records, bytes: 0 };
    return { records, bytes: measure.get(kind, account, id)?.bytes ?? 0 };
  };
}
