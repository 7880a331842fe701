import { jobOf } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

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
