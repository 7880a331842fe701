import type { JobRow } from "./postgres-job-row.ts";

/** The waiting jobs of each endpoint that are at hand, in the order of the queue. */
export interface WaitingRows {
  add(row: JobRow): void;
  /** The first `count` that `may` be taken. */
  first(endpoint: string, count: number, may: (row: JobRow) => boolean): JobRow[];
}

/** What was the place of a job when it was added; it counts as long as the job waits there. */
interface Place {
  readonly id: string;
  readonly position: number;
}

export function waitingRows(find: (endpoint: string, id: string) => JobRow | undefined): WaitingRows {
  const queues = new Map<string, Place[]>();

  function add({ endpoint, id, position }: JobRow): void {
    const queue = queues.get(endpoint) ?? [];
    queues.set(endpoint, queue);
    // Most come in their order.
    let at = queue.length;
    while (at > 0 && (queue[at - 1]?.position ?? 0) > position) at--;
    const isThere = queue[at - 1]?.id === id && queue[at - 1]?.position === position;
    if (!isThere) queue.splice(at, 0, { id, position });
  }

  function first(endpoint: string, count: number, may: (row: JobRow) => boolean): JobRow[] {
    const queue = queues.get(endpoint) ?? [];
    const rows: JobRow[] = [];
    /** Places at the head that count no more. */
    let over = 0;
    let isHead = true;
    for (const { id, position } of queue) {
      if (rows.length === count) break;
      const row = find(endpoint, id);
      const isWaiting = row?.holder === "" && row.position === position;
      if (isWaiting && may(row) && !rows.includes(row)) rows.push(row);
      isHead &&= !isWaiting;
      if (isHead) over++;
    }
    queue.splice(0, over);
    return rows;
  }

  return { add, first };
}
