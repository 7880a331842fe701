import type { Job } from "../handler.ts";
import { ServerAway } from "../server-link.ts";
import type { Entry } from "./outbox.ts";

/** What one call reports to the server, and requests. */
interface Exchange {
  /** Ids of the worker's jobs. */
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

export interface ExchangeAnswer {
  readonly jobs: readonly { readonly attempt: number; readonly job: Job }[];
  /** Ids of jobs that the worker must stop. */
  readonly stop: readonly string[];
  /** Ids of jobs whose chunks, progress or result were not stored: the attempt is over. */
  readonly ignored: readonly string[];
}

/** Throws ServerAway if something other than the server answered. */
export function parseAnswer(value: unknown): ExchangeAnswer {
  if (isAnswer(value)) return value;
  throw new ServerAway("what answers at FOREBAY_EXCHANGE_URL is not a Forebay server");
}

function isAnswer(value: unknown): value is ExchangeAnswer {
  if (typeof value !== "object" || value === null) return false;
  if (!("jobs" in value && "stop" in value && "ignored" in value)) return false;
  return Array.isArray(value.jobs) && Array.isArray(value.stop) && Array.isArray(value.ignored);
}
