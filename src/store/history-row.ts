import { beginningOfError } from "../domain/attempt.ts";
import {
  BODY_START_BYTES,
  type EndedState,
  type HistoryInputs,
  type HistoryRecord,
  inputStartOf,
  RECORD_BYTES,
} from "../domain/history.ts";
import { isStored, type Payload, sizeOf } from "../domain/payload.ts";
import { tagsIn } from "../domain/tags.ts";
import type { JobColumns } from "./job-columns.ts";

/** The columns of a record that have the same name and meaning in every store. */
export interface HistoryColumns extends Pick<
  JobColumns,
  "endpoint" | "id" | "queued_at" | "taken_at" | "worker" | "attempt" | "tags"
> {
  readonly state: EndedState;
  readonly ended_at: number;
  readonly input_bytes: number;
  readonly output_bytes: number;
  readonly error: string | null;
  /** The first bytes of the submission; null if they lie outside the row of the job. */
  readonly body_start: Uint8Array | null;
}

/** The record that a row describes. */
export function historyRecordOf(row: HistoryColumns, keepsInput: boolean): HistoryRecord {
  return {
    endpoint: row.endpoint,
    id: row.id,
    state: row.state,
    queuedAt: row.queued_at,
    startedAt: row.taken_at ?? undefined,
    endedAt: row.ended_at,
    worker: row.worker ?? undefined,
    attempts: row.attempt,
    inputBytes: row.input_bytes,
    outputBytes: row.output_bytes,
    tags: tagsIn(row.tags),
    error: row.error ?? undefined,
    inputStart: row.body_start === null ? undefined : inputStartOf(row.body_start),
    keepsInput,
  };
}

/** What the column of the tags contains, with a comma in place of its first character, if it has this tag. */
export function tagMark(tag: string): string {
  return `,${JSON.stringify(tag)}`;
}

/** When the last of these jobs ended, ms since 1970; 0 for none. */
export function lastEnd(records: readonly Pick<HistoryColumns, "ended_at">[]): number {
  return records.reduce((last, { ended_at: endedAt }) => Math.max(last, endedAt), 0);
}

/** What a record keeps of the payloads of its job. */
export function keptOf({ body, output, error }: EndedPayloads, inputs: HistoryInputs) {
  return {
    input_bytes: sizeOf(body),
    output_bytes: output === undefined ? 0 : sizeOf(output),
    error: errorText(error),
    body_start: inputs === "none" || isStored(body) ? null : body.slice(0, BODY_START_BYTES),
  };
}

export interface EndedPayloads {
  readonly body: Payload;
  readonly output: Payload | undefined;
  readonly error: Payload | undefined;
}

/** What a record counts for in the limit of the history, bytes. */
export function recordSize(
  { error, body_start: start, tags }: Pick<HistoryColumns, "error" | "body_start" | "tags">,
  input: Payload | undefined,
): number {
  const texts = Buffer.byteLength(error ?? "") + Buffer.byteLength(tags ?? "") + (start?.length ?? 0);
  return RECORD_BYTES + texts + (input === undefined ? 0 : sizeOf(input));
}

/** A JSON string as text; null if it lies outside the row of its job, or is no JSON. */
export function errorText(error: Payload | undefined): string | null {
  if (error === undefined || isStored(error)) return null;
  const json = new TextDecoder().decode(error);
  try {
    // A text of PostgreSQL has no NUL.
    return beginningOfError(String(JSON.parse(json))).replaceAll("\0", "\uFFFD");
  } catch {
    return null;
  }
}
