import type { Job } from "../handler.ts";
import { ServerAway } from "../server-link.ts";

export interface ExchangeAnswer {
  readonly jobs: readonly { readonly attempt: number; readonly job: Job }[];
  /** Ids of jobs that the worker must stop. */
  readonly stop: readonly string[];
  /** Ids of jobs of whose chunks, progress or result nothing was stored: that attempt is over. */
  readonly ignored: readonly string[];
}

/** Throws ServerAway when something else than the server has answered. */
export function parseAnswer(value: unknown): ExchangeAnswer {
  if (isAnswer(value)) return value;
  throw new ServerAway("what answers at FOREBAY_EXCHANGE_URL is not a Forebay server");
}

function isAnswer(value: unknown): value is ExchangeAnswer {
  if (typeof value !== "object" || value === null) return false;
  if (!("jobs" in value && "stop" in value && "ignored" in value)) return false;
  return Array.isArray(value.jobs) && Array.isArray(value.stop) && Array.isArray(value.ignored);
}
