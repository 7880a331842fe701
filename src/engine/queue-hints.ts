/**
 * What this server knows without asking about which queues are empty. A take that found nothing may skip the
 * store until something arrives; an arrival between its question and its answer is not lost, because arrivals
 * are counted.
 */
export interface QueueHints {
  /** Jobs may be waiting: something arrived since the queue was last found empty. */
  mayHaveJobs(endpoint: string): boolean;
  /** To be remembered before asking the store. */
  arrivals(endpoint: string): number;
  /** The store had nothing when asked at `arrivals`. */
  foundEmpty(endpoint: string, arrivals: number): void;
  arrived(endpoint: string): void;
  /** No queue is thought empty any more: what was told may have been lost. */
  forget(): void;
}

export function queueHints(): QueueHints {
  const arrivals = new Map<string, number>();
  const emptyAt = new Map<string, number>();
  const arrivalsOf = (endpoint: string) => arrivals.get(endpoint) ?? 0;
  return {
    mayHaveJobs: (endpoint) => emptyAt.get(endpoint) !== arrivalsOf(endpoint),
    arrivals: arrivalsOf,
    foundEmpty: (endpoint, at) => emptyAt.set(endpoint, at),
    forget: () => emptyAt.clear(),
    arrived: (endpoint) => arrivals.set(endpoint, arrivalsOf(endpoint) + 1),
  };
}
