import { sizeOfAll } from "../../../domain/payload.ts";
import { liveAttempt, prove } from "../postgres-live-attempt.ts";
import type { StepRunner } from "../postgres-step.ts";
import { postgresFinish } from "./postgres-finish.ts";

export const postgresAppend: StepRunner<"append"> = (step, now, unit) => {
  const row = liveAttempt(unit, step);
  if (row === undefined) {
    unit.count(step.endpoint, { ignored: 1 });
    return { accepted: false };
  }
  const { limit } = step;
  if (limit !== undefined && row.chunk_bytes + sizeOfAll(step.chunks) > limit.bytes) {
    postgresFinish(limit.otherwise, now, unit);
    return { accepted: false, isOver: true };
  }
  prove(unit, row);
  unit.append(unit.find(step.endpoint, step.id) ?? row, step.chunks);
  const added = { attempt: row.attempt, first: row.chunks, chunks: step.chunks };
  unit.signal("append", step.endpoint, step.id, step.worker, { added });
  return { accepted: true };
};
