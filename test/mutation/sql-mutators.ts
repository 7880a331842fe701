import type { Mutation } from "./mutant.ts";

/** A change inside the text of a statement. */
interface Change {
  readonly at: number;
  readonly length: number;
  readonly by: string;
}

const SQL = /\b(?:SELECT|UPDATE|INSERT INTO|DELETE FROM|WHERE)\b|\bIS (?:NOT )?NULL\b/;
/** What ends a condition, at the depth where it began. */
const END = new RegExp(
  `^(?:${[
    "AND|OR|ORDER BY|LIMIT|GROUP BY|HAVING|RETURNING|FOR UPDATE|FOR SHARE|UNION|ON CONFLICT|THEN|ELSE|WHERE",
    "SET|FROM|SELECT|WINDOW",
  ].join("|")})\\b`,
);
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ <(?= )/g, " <="],
  [/ <=(?= )/g, " <"],
  [/ >(?= )/g, " >="],
  [/ >=(?= )/g, " >"],
  [/ \+(?= )/g, " -"],
  [/ -(?= )/g, " +"],
  [/\bIS NULL\b/g, "IS NOT NULL"],
  [/\bIS NOT NULL\b/g, "IS NULL"],
  [/\bNOT EXISTS\b/g, "EXISTS"],
  [/(?<!INSERT )\bOR\b(?= )/g, "AND"],
  [/(?<=\bORDER BY [\w.]+)(?![\w.]| DESC|\()/g, " DESC"],
  [/ DESC\b/g, ""],
  [/ FOR UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g, ""],
  [/ SKIP LOCKED\b/g, ""],
  [/ FOR (?:NO KEY UPDATE|SHARE|KEY SHARE)\b/g, ""],
  [/\bmin\(/g, "max("],
  [/\bmax\(/g, "min("],
  [/\bgreatest\(/g, "least("],
  [/\bleast\(/g, "greatest("],
];

/**
 * Changes of the SQL in a string or template, given as it is written. A condition that goes stays as a text,
 * so that the statement has the same parameters.
 */
export function sqlMutations(start: number, raw: string): Mutation[] {
  if (!SQL.test(raw)) return [];
  const changes = [...wordChanges(raw), ...conditionChanges(raw), ...assignmentChanges(raw)];
  return changes.map(({ at, length, by }) => ({
    start,
    end: start + raw.length,
    text: raw.slice(0, at) + by + raw.slice(at + length),
    form: "expression",
    shown: { before: raw.slice(at, at + length + 12), after: by + raw.slice(at + length, at + length + 12) },
  }));
}

function wordChanges(raw: string): Change[] {
  return WORDS.flatMap(([pattern, by]) =>
    [...raw.matchAll(pattern)].map((match) => ({ at: match.index, length: match[0].length, by })),
  );
}

/** Each condition after WHERE, AND and OR holds always, or never after an OR. */
function conditionChanges(raw: string): Change[] {
  return [...raw.matchAll(/\b(WHERE|AND|OR)\s+/g)].flatMap((match): Change[] => {
    const [all, word = ""] = match;
    if (word === "AND" && isBetween(raw, match.index)) return [];
    const at = match.index + all.length;
    const condition = raw.slice(at, endOf(raw, at));
    const by = word === "OR" ? `(1 = 0 AND (${condition}))` : `(1 = 1 OR (${condition}))`;
    return condition.trim() === "" ? [] : [{ at, length: condition.length, by }];
  });
}

function isBetween(raw: string, at: number): boolean {
  return /\bBETWEEN\s+\S+\s+$/.test(raw.slice(0, at));
}

/** Each column of SET keeps its value. */
function assignmentChanges(raw: string): Change[] {
  return [...raw.matchAll(/\bSET\s+/g)].flatMap((match) => {
    const changes: Change[] = [];
    let at = match.index + match[0].length;
    for (;;) {
      const end = endOf(raw, at);
      const assignment = /^(\s*)(\w+)(\s*=\s*)([\s\S]*?)\s*$/.exec(raw.slice(at, end));
      if (assignment === null) return changes;
      const [, blank = "", column = "", equals = "", value = ""] = assignment;
      const from = at + blank.length + column.length + equals.length;
      changes.push({
        at: from,
        length: value.length,
        by: `CASE WHEN 1 = 1 THEN ${column} ELSE ${value} END`,
      });
      if (raw[end] !== ",") return changes;
      at = end + 1;
    }
  });
}

/** Where the expression that begins here ends. */
function endOf(raw: string, from: number): number {
  let depth = 0;
  for (let at = from; at < raw.length; at++) {
    const letter = raw[at] ?? "";
    const isWord = at === from || /\s/.test(raw[at - 1] ?? "");
    const rest = isWord ? raw.slice(at, at + 12) : "";
    if ("({".includes(letter) || /^CASE\b/.test(rest)) depth++;
    else if ((")}".includes(letter) || /^END\b/.test(rest)) && --depth < 0) return at;
    if (depth > 0) continue;
    if (',`";'.includes(letter)) return at;
    if (END.test(rest) && !raw.slice(from, at).endsWith("DISTINCT ")) return at;
  }
  return raw.length;
}
