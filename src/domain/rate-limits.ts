/** How often an operation may be called. */
export interface RateLimit {
  /** Requests within any 10 s. */
  readonly requests: number;
  /** Requests in flight at once, those that wait included; undefined: any number. */
  readonly concurrent: number | undefined;
  /** Requests within 10 s for each running worker, where that makes more (spec 8, dynamic rule). */
  readonly perWorker: number;
}

/** Spec 8: the limits hold over any span of this many ms. */
export const RATE_WINDOW = 10_000;

const WIDE: RateLimit = { requests: 2_000, concurrent: 400, perWorker: 50 };
const SUBMISSION: RateLimit = { requests: 1_000, concurrent: 200, perWorker: 25 };

/** Spec 8, for each operation of each endpoint; retry, health and status-sync are ours (design, row 17). */
export const RATE_LIMITS = {
  runsync: WIDE,
  run: SUBMISSION,
  status: WIDE,
  "status-sync": WIDE,
  stream: WIDE,
  cancel: { requests: 100, concurrent: 20, perWorker: 0 },
  retry: SUBMISSION,
  "purge-queue": { requests: 2, concurrent: undefined, perWorker: 0 },
  health: WIDE,
  openai: WIDE,
  requests: { requests: 10, concurrent: 2, perWorker: 0 },
} as const satisfies Record<string, RateLimit>;

export type LimitedOperation = keyof typeof RATE_LIMITS;

/** All calls of the management API of one account together (design, row 17). */
export const MANAGEMENT_RATE_LIMIT: RateLimit = { requests: 2_000, concurrent: 400, perWorker: 0 };

/** What an endpoint has instead of the figures of `RATE_LIMITS`; never less. */
export type RaisedLimits = {
  readonly [Operation in LimitedOperation]?:
    Partial<Record<"requests" | "concurrent", number | undefined>> | undefined;
};

/** The limit of an operation before workers are counted. */
export function rateLimitOf(operation: LimitedOperation, raised: RaisedLimits | undefined): RateLimit {
  const limit: RateLimit = RATE_LIMITS[operation];
  const own = raised?.[operation];
  if (own === undefined) return limit;
  return {
    ...limit,
    requests: own.requests ?? limit.requests,
    concurrent: own.concurrent ?? limit.concurrent,
  };
}

/** Limits up to this one hold exactly over all servers, for which each request is asked for. */
export const EXACT_LIMIT = 100;

/** Larger ones hold to this share of them. */
const PLAY = 0.05;

/**
 * How many of `limit` requests a server may have let in that the others do not know of. With n servers that
 * all keep to it, and that let nothing in which would break the limit as far as they know, the limit is
 * broken by at most n - 1 times this. `others`: how many other servers there are; undefined when that is not
 * known.
 */
export function creditOf(limit: number, others: number | undefined): number {
  if (others === 0) return Number.POSITIVE_INFINITY;
  if (others === undefined || limit <= EXACT_LIMIT) return 0;
  return Math.floor((limit * PLAY) / others);
}

/** Spec 8, dynamic rule: the larger of the base and what the running workers are good for. */
export function effectiveRequests({ requests, perWorker }: RateLimit, runningWorkers: number): number {
  return Math.max(requests, runningWorkers * perWorker);
}
