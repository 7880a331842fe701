import { z } from "zod";

/** How long a server may take to answer, ms. */
const PATIENCE = 5_000;

const DOCUMENT = z.looseObject({ info: z.looseObject({ title: z.literal("Forebay"), version: z.string() }) });

/** What a running server says of itself to everybody; undefined when none answers, or another program. */
export async function aboutForebay(
  origin: string,
): Promise<{ readonly version: string; readonly date: string | undefined } | undefined> {
  try {
    const answer = await fetch(`${origin}/openapi.json`, { signal: AbortSignal.timeout(PATIENCE) });
    const { info } = DOCUMENT.parse(await answer.json());
    return { version: info.version, date: answer.headers.get("date") ?? undefined };
  } catch {
    return undefined; // a refused connection, a page that is no JSON: nothing of Forebay
  }
}
