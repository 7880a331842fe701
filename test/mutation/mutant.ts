import type { Node } from "oxc-parser";

/** One small change of a file: `text` instead of what is at `start` to `end`. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** How the switch between the two is written. */
  readonly form: "expression" | "statement" | "member";
  /** The part that changes, where that is less than the whole. */
  readonly shown?: { readonly before: string; readonly after: string };
}

/** A mutation with a number, which is the same as long as no file of the targets changes. */
export interface Mutant extends Mutation {
  readonly id: number;
  readonly file: string;
  readonly line: number;
}

/** What a mutator sees: a node, and where it is. */
export interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
  readonly grandparent: Node | undefined;
  /** The text of a node as it is in the file. */
  readonly textOf: (node: Node) => string;
}

const SHOWN = 70;

/** `a < b -> a <= b`, on one line. */
export function shownChange(mutant: Mutant, source: string): string {
  const { before, after } = mutant.shown ?? {
    before: source.slice(mutant.start, mutant.end),
    after: mutant.form === "expression" ? mutant.text : "",
  };
  return `${shorten(before)} -> ${after === "" ? "(nothing)" : shorten(after)}`;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1)}…`;
}
