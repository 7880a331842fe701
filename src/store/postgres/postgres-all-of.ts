/** Resolves when all have; throws the first fault, but not before the last has ended. */
export async function allOf(promises: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(promises);
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
