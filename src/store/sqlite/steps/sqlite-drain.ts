import { damagedPayload, isStored, type Payload } from "../../../domain/payload.ts";
import { prepare } from "../sqlite-driver.ts";
import { JOB_COLUMNS, type JobRow, recordOf, RESULT_COLUMNS, type ResultRow } from "../sqlite-job-row.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

export function sqliteDrain({ database, payloads }: Tables): StepRunner<"drain"> {
  const select = prepare<JobRow & ResultRow, [endpoint: string, id: string]>(
    database,
    `SELECT ${JOB_COLUMNS}, ${RESULT_COLUMNS} FROM job WHERE endpoint = ?1 AND id = ?2`,
  );
  const selectChunk = prepare<{ content: PayloadColumn }, [seq: number, number: number]>(
    database,
    "SELECT content FROM chunk WHERE job = ?1 AND number = ?2",
  );
  const advance = prepare<never, [seq: number, cursor: number]>(
    database,
    "UPDATE job SET cursor = max(cursor, ?2) WHERE seq = ?1",
  );

  const goBack = prepare<never, [seq: number, cursor: number]>(
    database,
    "UPDATE job SET cursor = min(cursor, ?2) WHERE seq = ?1",
  );

  return ({ endpoint, id, from, chunkLimit, byteLimit, unreadFrom }) => {
    const row = select.get(endpoint, id);
    if (row === null) return undefined;
    if (unreadFrom !== undefined) goBack.run(row.seq, unreadFrom);
    const chunks: Payload[] = [];
    let next = Math.min(from ?? row.cursor, row.chunks);
    for (let bytes = 0; next < row.chunks && chunks.length < chunkLimit && bytes < byteLimit; next++) {
      const chunk = selectChunk.get(row.seq, next);
      const payload =
        chunk === null
          ? damagedPayload(0, `the row of chunk ${next} of job ${id} is missing`)
          : payloads.load(chunk.content);
      chunks.push(payload);
      bytes += isStored(payload) ? payload.size : payload.length;
    }
    if (from === undefined && chunks.length > 0) advance.run(row.seq, next);
    return { job: recordOf(row, payloads), chunks, next, remaining: row.chunks - next };
  };
}
