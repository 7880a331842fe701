import { z } from "zod";
import { readAnswer } from "./read-answer.ts";

const DOCUMENT = z.looseObject({ info: z.looseObject({ title: z.literal("Forebay"), version: z.string() }) });

/** Which version runs there; undefined when none answers, or another program. */
export async function forebayVersion(origin: string): Promise<string | undefined> {
  return (await readAnswer(`${origin}/openapi.json`, DOCUMENT))?.info.version;
}
