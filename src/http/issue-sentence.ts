import type { z } from "zod";

/** What is wrong with a member of a body, where its schema has no sentence of its own. */
export function issueSentence(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${NOUNS[issue.expected] ?? "another type"}`;
    case "too_small":
      return `must ${sizeOf(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${sizeOf(issue.origin, "at most", issue.maximum)}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "unrecognized_keys":
      return `has an unknown member ${JSON.stringify(issue.keys[0])}`;
    case "invalid_format":
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return "has an invalid value";
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "an integer",
  boolean: "true or false",
  array: "an array",
  object: "a JSON object",
  record: "a JSON object",
};

/** `have at most 3 characters`, `be at least 1`. */
function sizeOf(origin: string, most: string, size: number | bigint): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `be ${most} ${size}`;
  return `have ${most} ${size} ${unit}${size === 1 ? "" : "s"}`;
}

const UNITS: Readonly<Record<string, string>> = {
  string: "character",
  array: "element",
  object: "member",
  record: "member",
};
