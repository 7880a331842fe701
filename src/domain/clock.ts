/** The time of the whole server. Only the edges read a real clock; everything else gets this one. */
export interface Clock {
  /**
   * Milliseconds since 1970 as an integer. It never runs backwards, and setting the wall clock does not move
   * it.
   */
  now(): number;
  /** Calls `action` once, `ms` milliseconds (0 to 2^31-1) from now. Call the answer to cancel that. */
  after(ms: number, action: () => void): () => void;
}
