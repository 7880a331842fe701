/** How many tags a job can have. */
export const MAX_TAGS = 8;

/**
 * 1 to 64 visible characters: no spaces, nothing that a terminal obeys, nothing without a width, no half of a
 * character.
 */
export const TAG = new RegExp(
  "^[^\\s\\u0000-\\u001F\\u007F-\\u009F\\u00AD\\u061C\\u180E\\u200B-\\u200F" +
    "\\u2028-\\u202E\\u2060-\\u206F\\uD800-\\uDFFF\\uFEFF]{1,64}$",
  "u",
);

/** Tags as the row of a job has them: a JSON list, or null for none. */
export type TagsColumn = string | null;

const NO_TAGS: readonly string[] = [];

/** The tags in a column, in the order in which they were given. */
export function tagsIn(column: TagsColumn): readonly string[] {
  if (column === null) return NO_TAGS;
  // `enqueue` has written it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(column) as string[];
}

/** Why these are not the tags of a job, in words that continue a sentence; undefined if they are. */
export function tagsFault(given: unknown): string | undefined {
  if (!Array.isArray(given)) return "must be a list of texts";
  if (given.length > MAX_TAGS) return `has ${given.length} tags; a job has at most ${MAX_TAGS}`;
  const isGood = given.every((tag) => typeof tag === "string" && TAG.test(tag));
  if (!isGood) return "is invalid; each tag has 1 to 64 visible characters and no spaces";
  return new Set(given).size === given.length ? undefined : "has a tag twice; leave one out";
}

/** Begins a tag that no submission can have: it has spaces (decision 0041). */
const RESUBMITTED = "resubmitted from ";

/** The tags of a job that was made from another one on the same endpoint. */
export function resubmittedTags(tags: readonly string[], from: string): readonly string[] {
  return [...tags, RESUBMITTED + from];
}

/** The id of the job that the job with these tags was made from; undefined for any other job. */
export function resubmittedFrom(tags: readonly string[]): string | undefined {
  return tags.find((tag) => tag.startsWith(RESUBMITTED))?.slice(RESUBMITTED.length);
}

/** The tags that the submission named. */
export function submittedTags(tags: readonly string[]): readonly string[] {
  return tags.filter((tag) => !tag.startsWith(RESUBMITTED));
}
