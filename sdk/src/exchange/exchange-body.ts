import type { Entry } from "./outbox.ts";

/** What one call tells the server, and asks of it. */
export interface Exchange {
  /** Ids of the jobs that the worker has. */
  readonly alive: readonly string[];
  readonly batch: readonly Entry[];
  /** How many jobs it can take. */
  readonly take: number;
  /** How long the call may be held, ms. */
  readonly wait: number;
}

/** The JSON of the call (docs/worker-protocol.md). */
export function exchangeBody({ alive, batch, take, wait }: Exchange): string {
  const lists = { chunks: "", progress: "", results: "" };
  for (const { list, json } of batch) lists[list] += lists[list] === "" ? json : `,${json}`;
  const { chunks, progress, results } = lists;
  return (
    `{"alive":${JSON.stringify(alive)},"chunks":[${chunks}],"progress":[${progress}],` +
    `"results":[${results}],"take":${take},"wait":${wait}}`
  );
}
