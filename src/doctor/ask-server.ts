import { z } from "zod";
import { sentenceOf } from "./finding.ts";

/** How long a server may take to answer, ms. */
const PATIENCE = 5_000;

const DOCUMENT = z.looseObject({ info: z.looseObject({ title: z.literal("Forebay"), version: z.string() }) });

/** The version of the Forebay that answers there; undefined if nothing or another program answers. */
export async function forebayVersion(origin: string): Promise<string | undefined> {
  return (await readAnswer(`${origin}/openapi.json`, DOCUMENT))?.info.version;
}

/** The JSON that an address answers; undefined if there is no answer, or one of another shape. */
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

/** The HTTP status of the answer; a sentence if there is no answer. */
export async function statusOf(url: string, headers: Record<string, string>): Promise<number | string> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) });
    await answer.body?.cancel();
    return answer.status;
  } catch (error) {
    return sentenceOf(error);
  }
}
