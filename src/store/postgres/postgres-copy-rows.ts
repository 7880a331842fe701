import { sizeOf } from "../../domain/payload.ts";
import type { AllocatedDevice } from "../allocations.ts";
import type {
  KeptAttemptRow,
  KeptChunk,
  KeptContact,
  KeptData,
  KeptDelivery,
  KeptHistory,
  KeptIdempotencyKey,
  KeptJob,
  KeptRecord,
  KeptStatistics,
} from "../kept-data.ts";
import type { PastWorkerRow } from "../past-workers.ts";
import type { Connection } from "./postgres-driver.ts";
import { type FilledTable, inserts } from "./postgres-insert-rows.ts";
import { JOB_COLUMN_TYPES, type JobRow } from "./postgres-job-row.ts";
import { columnsOf } from "./postgres-payload-columns.ts";
import { partsOf } from "./postgres-payloads.ts";

const QUEUE: FilledTable<{ endpoint: string }> = { table: "queue", types: { endpoint: "text" } };

const COUNTER = {
  table: "counter",
  types: {
    endpoint: "text",
    slot: "integer",
    queued: "bigint",
    queued_low_priority: "bigint",
    queued_bytes: "bigint",
    running: "bigint",
    completed: "bigint",
    failed: "bigint",
    retried: "bigint",
    ignored: "bigint",
  },
} as const;

const RECORD: FilledTable<KeptRecord> = {
  table: "record",
  types: {
    kind: "text",
    id: "text",
    account: "text",
    name: "text",
    version: "integer",
    change: "bigint",
    body: "text",
  },
};

const ALLOCATION: FilledTable<AllocatedDevice> = {
  table: "allocation",
  types: { device: "text", card: "text", host: "text", worker: "text" },
};

const PAST_WORKER: FilledTable<PastWorkerRow> = {
  table: "past_worker",
  types: {
    endpoint: "text",
    id: "text",
    host: "text",
    gpus: "text",
    started_at: "bigint",
    removed_at: "bigint",
  },
};

const PAYLOAD = {
  table: "payload",
  types: { file: "uuid", size: "bigint", written_at: "bigint", named: "boolean", names: "integer" },
} as const;

const PAYLOAD_PART = {
  table: "payload_part",
  types: { file: "uuid", number: "integer", bytes: "bytea", digest: "bigint" },
} as const;

const JOB: FilledTable<Required<JobRow>> = { table: "job", types: JOB_COLUMN_TYPES };

const CHUNK = {
  table: "chunk",
  types: {
    endpoint: "text",
    job: "text",
    number: "integer",
    size: "integer",
    content: "bytea",
    ref: "text",
  },
} as const;

const ATTEMPT: FilledTable<KeptAttemptRow> = {
  table: "attempt",
  types: {
    endpoint: "text",
    job: "text",
    number: "integer",
    ended: "text",
    cold_start: "text",
    output: "text",
  },
};

const IDEMPOTENCY: FilledTable<KeptIdempotencyKey> = {
  table: "idempotency",
  types: { endpoint: "text", key: "text", id: "text", state: "text", digest: "bytea", until: "bigint" },
};

const CONTACT: FilledTable<KeptContact> = {
  table: "contact",
  types: {
    endpoint: "text",
    worker: "text",
    last_contact: "bigint",
    pings: "boolean",
    hung_up: "boolean",
    stray_job: "text",
    stray_since: "bigint",
  },
};

const DELIVERY = {
  table: "delivery",
  types: {
    endpoint: "text",
    id: "text",
    receiver: "text",
    webhook: "bytea",
    state: "text",
    due_at: "bigint",
    started: "integer",
    attempts: "integer",
    tried_at: "bigint",
    status: "integer",
    reason: "text",
    job: "text",
    job_state: "text",
    queued_at: "bigint",
    taken_at: "bigint",
    ended_at: "bigint",
    worker: "text",
    losses: "integer",
    size: "bigint",
    output: "bytea",
    output_ref: "text",
    error: "bytea",
    error_ref: "text",
  },
} as const;

const STATISTICS: FilledTable<KeptStatistics> = {
  table: "statistics",
  types: { endpoint: "text", width: "integer", at: "bigint", server: "text", figures: "text" },
};

const HISTORY = {
  table: "history",
  types: {
    endpoint: "text",
    id: "text",
    state: "text",
    queued_at: "bigint",
    taken_at: "bigint",
    ended_at: "bigint",
    worker: "text",
    attempt: "integer",
    tags: "text",
    input_bytes: "bigint",
    output_bytes: "bigint",
    error: "text",
    body_start: "bytea",
    input: "bytea",
    input_ref: "text",
    size: "bigint",
  },
} as const;

const SET_HISTORY_SIZE = `
  INSERT INTO forebay.history_size (slot, bytes, trimmed_to)
  SELECT 0, coalesce(sum(size), 0), $1 FROM forebay.history`;

const SET_CLOCK = "UPDATE forebay.clock SET latest = $1";

/** Writes all of it into empty tables. `onRow` is called for each job and chunk. */
export async function copyRows(connection: Connection, kept: KeptData, onRow: () => void): Promise<void> {
  const rows = inserts(connection);
  const latest = kept.latestTime();
  for (const { endpoint } of kept.endpoints()) await rows.add(QUEUE, { endpoint });
  for (const { endpoint, counts } of kept.endpoints()) {
    const { queuedLowPriority, queuedBytes, ...others } = counts;
    const renamed = { queued_low_priority: queuedLowPriority, queued_bytes: queuedBytes };
    await rows.add(COUNTER, { endpoint, slot: 0, ...others, ...renamed });
  }
  for (const record of kept.records()) await rows.add(RECORD, record);
  for (const allocated of kept.allocations()) await rows.add(ALLOCATION, allocated);
  for (const past of kept.pastWorkers()) await rows.add(PAST_WORKER, past);
  for (const { file, size, names } of kept.payloads()) {
    await rows.add(PAYLOAD, { file, size, written_at: latest, named: true, names });
  }
  for (const payload of kept.payloads()) {
    for (const part of partsOf(await kept.readPayload(payload))) {
      await rows.add(PAYLOAD_PART, { file: payload.file, ...part });
    }
  }
  for (const job of kept.jobs()) {
    await rows.add(JOB, jobRow(job));
    onRow();
  }
  for (const chunk of kept.chunks()) {
    await rows.add(CHUNK, chunkRow(chunk));
    onRow();
  }
  for (const attempt of kept.attempts()) await rows.add(ATTEMPT, attempt);
  for (const key of kept.idempotencyKeys()) await rows.add(IDEMPOTENCY, key);
  for (const delivery of kept.deliveries()) await rows.add(DELIVERY, deliveryRow(delivery));
  for (const contact of kept.contacts()) await rows.add(CONTACT, contact);
  for (const slot of kept.statistics()) await rows.add(STATISTICS, slot);
  for (const past of kept.history()) await rows.add(HISTORY, pastRow(past));
  await rows.end();
  await connection.query(SET_HISTORY_SIZE, [kept.historyTrimmedTo()]);
  await connection.query(SET_CLOCK, [latest]);
}

function jobRow({ payloads, ...columns }: KeptJob): Required<JobRow> {
  const { body, secret, output, error, progress } = {
    body: columnsOf(payloads.body, true),
    secret: columnsOf(payloads.secret, true),
    output: columnsOf(payloads.output, true),
    error: columnsOf(payloads.error, true),
    progress: columnsOf(payloads.progress, true),
  };
  return {
    ...columns,
    body: body.content,
    body_ref: body.ref,
    secret: secret.content,
    secret_ref: secret.ref,
    output: output.content,
    output_ref: output.ref,
    error: error.content,
    error_ref: error.ref,
    progress: progress.content,
    progress_ref: progress.ref,
  };
}

function chunkRow({ endpoint, job, number, content }: KeptChunk) {
  return { endpoint, job, number, size: sizeOf(content), ...columnsOf(content, true) };
}

function pastRow({ payloads, ...columns }: KeptHistory) {
  const input = columnsOf(payloads.input, true);
  return { ...columns, input: input.content, input_ref: input.ref };
}

function deliveryRow({ payloads, ...columns }: KeptDelivery) {
  const [output, error] = [columnsOf(payloads.output, true), columnsOf(payloads.error, true)];
  return {
    ...columns,
    output: output.content,
    output_ref: output.ref,
    error: error.content,
    error_ref: error.ref,
  };
}
