/**
 * The input of a job that every worker completes, with this as its output. It is larger than a small body, so
 * it also shows that the server still has room for large ones.
 */
export const CANARY = "a canary that lives".padEnd(100_000, ".");
