import type { Answer } from "./answer.ts";

/** How many of `count` calls are refused; few are in flight at a time. */
export async function refusalsOf(count: number, call: () => Promise<Answer>, atOnce = 16): Promise<number> {
  let left = count;
  let refused = 0;
  const lane = async (): Promise<void> => {
    while (left-- > 0) if ((await call()).status === 429) refused++;
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return refused;
}
