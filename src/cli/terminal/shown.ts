import { visibleText } from "../../domain/visible-text.ts";

/** A stranger's text for the standard output: a terminal obeys nothing in it, a file gets it as it is. */
export function shown(text: string): string {
  return process.stdout.isTTY ? visibleText(text) : text;
}
