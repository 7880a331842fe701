/**
 * Characters that a terminal or a log viewer obeys instead of showing them: control characters of both ranges
 * (ECMA-48, with ESC and CSI), and those that change the direction of text or separate lines (UAX 9).
 */
const OBEYED =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/**
 * Escapes such characters as \u and four digits, so that text of strangers cannot change what is around it.
 * Tabs and line feeds stay. JSON stays the same JSON.
 */
export function visibleText(text: string): string {
  return text.replace(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for text that must stay on one line: escapes tabs and line feeds too. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
}
