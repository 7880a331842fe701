import type { z } from "zod";

/** How long a server may take to answer, ms. */
const PATIENCE = 5_000;

/** The JSON that an address answers to everybody; undefined when none comes, or another kind. */
export async function readAnswer<T>(url: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    return schema.parse(await answer.json());
  } catch {
    return undefined; // a refused connection, a page that is no JSON: nothing of Forebay
  }
}
