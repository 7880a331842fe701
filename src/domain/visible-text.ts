/**
 * What a terminal or a viewer of logs obeys instead of showing it: control characters of both ranges
 * (ECMA-48, with ESC and CSI), and what turns the direction of text or separates lines (UAX 9).
 */
const OBEYED =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/**
 * The text with what would be obeyed written as \u and four digits, so that strangers' texts cannot change
 * what stands around them. Tabs and line feeds stay. JSON stays the same JSON.
 */
export function visibleText(text: string): string {
  return text.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for what is to stay on one line: tabs and line feeds too. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
