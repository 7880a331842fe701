import { ERRORS } from "../../src/domain/errors.ts";
import type { Sentence } from "./sentences.ts";

/** The sentences of errors, logs and all other messages as one text, grouped by what a person looks for. */
export function snapshotOf(sentences: readonly Sentence[]): string {
  const groups = Object.groupBy(
    sentences.filter(({ kind }) => kind !== "description" && kind !== "fault of the code"),
    titleOf,
  );
  const titles = Object.keys(groups).toSorted((left, right) => rankOf(left).localeCompare(rankOf(right)));
  const parts = titles.map((title) => {
    const lines = new Set((groups[title] ?? []).flatMap(({ readings }) => readings).map(shown));
    return [`# ${title}`, ...[...lines].toSorted()].join("\n");
  });
  return `${parts.join("\n\n")}\n`;
}

function titleOf({ kind, group, path }: Sentence): string {
  if (kind === "error") return group;
  return kind === "log" ? "Log messages" : path;
}

/** Codes first, then errors of commands, the log, and other texts by file. */
function rankOf(title: string): string {
  if (Object.hasOwn(ERRORS, title)) return `0${title}`;
  if (title === "Log messages") return "2";
  return title.includes("/") ? `3${title}` : `1${title}`;
}

/** One line, with blanks at its ends where they are. */
function shown(reading: string): string {
  return reading.replaceAll("\n", "\\n");
}
