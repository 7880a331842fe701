import { sizeOfAll } from "../../domain/payload.ts";
import { jobOf } from "../job-columns.ts";
import { finish } from "./end-job.ts";
import type { JobStepRunner } from "./job-transaction.ts";
import { liveAttempt, prove } from "./worker-reports.ts";

// The chunks that a job puts out: how they are stored, and how they are read.

export const append: JobStepRunner<"append"> = (step, now, transaction) => {
  const row = liveAttempt(transaction, step);
  if (row === undefined) {
    transaction.count(step.endpoint, { ignored: 1 });
    return { accepted: false };
  }
  const { limit } = step;
  if (limit !== undefined && row.chunk_bytes + sizeOfAll(step.chunks) > limit.bytes) {
    finish(limit.otherwise, now, transaction);
    return { accepted: false, isOver: true };
  }
  prove(transaction, row);
  const { chunks } = step;
  if (chunks.length > 0) {
    transaction.append(row, chunks);
    const bytes = row.chunk_bytes + sizeOfAll(chunks);
    transaction.change(row, { chunks: row.chunks + chunks.length, chunk_bytes: bytes });
  }
  const added = { attempt: row.attempt, first: row.chunks, chunks };
  transaction.signal("append", step.endpoint, step.id, step.worker, { added });
  return { accepted: true };
};

export const drain: JobStepRunner<"drain"> = (step, _now, transaction) => {
  const { endpoint, id, from, unreadFrom, chunkLimit, byteLimit } = step;
  const row = transaction.find(endpoint, id);
  if (row === undefined) return undefined;
  const start = Math.min(from ?? row.cursor, row.chunks);
  const chunks = transaction.chunks(row, start, chunkLimit, byteLimit);
  const next = start + chunks.length;
  if (unreadFrom !== undefined && unreadFrom < row.cursor) transaction.change(row, { cursor: unreadFrom });
  if (from === undefined && next > row.cursor) transaction.change(row, { cursor: next });
  return { job: { ...jobOf(row), ...transaction.result(row) }, chunks, next, remaining: row.chunks - next };
};
