import type { Yield } from "./append.ts";

/**
 * The yields of each attempt as one, its chunks in their order: a stream of many small ones costs a step in
 * the store for each call, not for each chunk.
 */
export function gatherYields(yields: readonly Yield[]): readonly Yield[] {
  const chunksOf = new Map<string, Uint8Array[]>();
  const gathered: Yield[] = [];
  for (const yielded of yields) {
    const attempt = `${yielded.attempt} ${yielded.job}`;
    const earlier = chunksOf.get(attempt);
    if (earlier !== undefined) earlier.push(...yielded.chunks);
    else {
      const chunks = [...yielded.chunks];
      chunksOf.set(attempt, chunks);
      gathered.push({ ...yielded, chunks });
    }
  }
  return gathered;
}
