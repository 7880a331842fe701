/** Time as the whole server sees it. Only the edges hold a clock; everything inside is told the time. */
export interface Clock {
  /**
   * Milliseconds since 1970 as an integer; never runs backwards, and steps of the wall clock do not move it.
   */
  now(): number;
  /** Calls `action` once, `ms` milliseconds (0 to 2^31-1) from now. The answer takes the call back. */
  after(ms: number, action: () => void): () => void;
}
