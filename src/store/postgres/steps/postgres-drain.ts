import { recordOf } from "../postgres-job-row.ts";
import type { StepRunner } from "../postgres-step.ts";
import { keyOf } from "../postgres-unit.ts";

export const postgresDrain: StepRunner<"drain"> = ({ endpoint, id, from, unreadFrom }, _now, unit) => {
  const row = unit.find(endpoint, id);
  if (row === undefined) return undefined;
  const start = Math.min(from ?? row.cursor, row.chunks);
  const chunks = unit.drained.get(keyOf(endpoint, id)) ?? [];
  const next = start + chunks.length;
  if (unreadFrom !== undefined && unreadFrom < row.cursor) unit.change(row, { cursor: unreadFrom });
  if (from === undefined && next > row.cursor) unit.change(row, { cursor: next });
  return { job: recordOf(row), chunks, next, remaining: row.chunks - next };
};
