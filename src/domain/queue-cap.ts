/** How much may wait in the queue of an endpoint; undefined: any amount. */
export interface QueueCap {
  readonly jobs: number | undefined;
  /** Sum of the sizes of what was submitted, bytes. */
  readonly bytes: number | undefined;
}

/** What waits. */
export interface QueueFill {
  readonly queued: number;
  readonly queuedBytes: number;
}

/**
 * What a job can be too much for: a part of the cap of its endpoint, what the operator allows one endpoint
 * (`ceiling`), or its account.
 */
export type OverQueue = keyof QueueCap | "ceiling" | "account";

/** What would be too much if a job of `size` bytes came to what waits; undefined when it may come. */
export function overCap(
  cap: QueueCap | undefined,
  fill: QueueFill,
  size: number,
): keyof QueueCap | undefined {
  if (cap === undefined) return undefined;
  if (cap.jobs !== undefined && fill.queued >= cap.jobs) return "jobs";
  if (cap.bytes !== undefined && fill.queuedBytes + size > cap.bytes) return "bytes";
  return undefined;
}
