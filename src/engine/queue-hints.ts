/**
 * What this server knows without asking about which queues are empty. A take that found nothing may skip the
 * store until something arrives. Arrivals are counted, so that none is lost between the question and its
 * answer.
 */
export class QueueHints {
  readonly #arrivals = new Map<string, number>();
  /** How many jobs had arrived when the store was asked and had none. */
  readonly #emptyAt = new Map<string, number>();

  /** Jobs may be waiting: something arrived since the queue was last found empty. */
  mayHaveJobs(endpoint: string): boolean {
    return this.#emptyAt.get(endpoint) !== this.arrivals(endpoint);
  }

  /** To be remembered before the store is asked. */
  arrivals(endpoint: string): number {
    return this.#arrivals.get(endpoint) ?? 0;
  }

  /** The store had nothing when asked at `arrivals`. */
  foundEmpty(endpoint: string, arrivals: number): void {
    this.#emptyAt.set(endpoint, arrivals);
  }

  arrived(endpoint: string): void {
    this.#arrivals.set(endpoint, this.arrivals(endpoint) + 1);
  }

  /** No queue is thought empty any more: a signal may have been lost. */
  forget(): void {
    this.#emptyAt.clear();
  }
}
