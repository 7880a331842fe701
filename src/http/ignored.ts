import type { Call } from "./call.ts";

/** The header with the names of what a call has sent and Forebay does not read. */
const HEADER = "forebay-ignored";

/** More names than these are not listed, and longer ones are cut. */
const MOST_NAMES = 20;
const LONGEST_NAME = 64;

/**
 * Lists these names in a header of the answer, after those that are there. They come from the client: only
 * letters, digits and a few signs of them are shown.
 */
export function noteIgnored({ headers }: Pick<Call, "headers">, names: readonly string[]): void {
  const earlier = headers[HEADER]?.split(", ") ?? [];
  const all = new Set([...earlier, ...names.map(shown)]);
  if (all.size > 0) headers[HEADER] = [...all].slice(0, MOST_NAMES).join(", ");
}

/** The same for parameters of the query that are not among `known`, each with its question mark. */
export function noteIgnoredQuery(call: Pick<Call, "headers" | "query">, known: readonly string[]): void {
  const unknown = [...new URLSearchParams(call.query).keys()].filter((name) => !known.includes(name));
  noteIgnored(
    call,
    unknown.map((name) => `?${name}`),
  );
}

/** Nothing of a name can end the header, or look like two names. */
function shown(name: string): string {
  return name.slice(0, LONGEST_NAME).replaceAll(/[^\w.?-]/g, "_");
}
