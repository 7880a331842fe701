const ends = new Set<() => void>();

/**
 * Calls `end` when the benchmark ends, also by an error, Ctrl-C or SIGTERM: no server, database or worker
 * outlives it. The result takes the call back.
 */
export function atExit(end: () => void): () => void {
  ends.add(end);
  return () => ends.delete(end);
}

/** What runs now, for `endAllSince`. */
export function runningNow(): ReadonlySet<() => void> {
  return new Set(ends);
}

/** Ends everything that began after `before`: what a failed measurement left. */
export function endAllSince(before: ReadonlySet<() => void>): void {
  for (const end of ends) {
    if (before.has(end)) continue;
    ends.delete(end);
    end();
  }
}

process.on("exit", () => {
  for (const end of ends) end();
});
for (const [signal, code] of [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  process.on(signal, () => process.exit(code));
}
