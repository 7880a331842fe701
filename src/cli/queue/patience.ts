/** How long a command that waits for a job tries again while the server is away, ms. */
export const PATIENCE = 30_000;
