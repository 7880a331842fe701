import type { z } from "zod";

/** How long a server may take to answer, ms. */
const PATIENCE = 5_000;

/** The JSON that an address answers; undefined if there is no answer, or one of another kind. */
export async function readAnswer<T>(
  url: string,
  schema: z.ZodType<T>,
  headers: Readonly<Record<string, string>> = {},
): Promise<T | undefined> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) });
    return schema.parse(await answer.json());
  } catch {
    return undefined; // a refused connection, a page that is no JSON: nothing of Forebay
  }
}
