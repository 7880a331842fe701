import { sizeOfAll } from "../../domain/payload.ts";
import { liveAttempt, prove } from "./live-attempt.ts";
import type { JobStepRunner } from "./job-transaction.ts";
import { finish } from "./finish.ts";

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
