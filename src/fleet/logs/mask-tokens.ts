/** Tokens of workers and API keys, by their beginnings (src/engine/digest.ts, src/engine/key-text.ts). */
const TOKENS = /\b(fb[kw])_[A-Za-z0-9_-]{8,}/g;

/** The text with Forebay's tokens and keys as ***: a worker that prints its environment gives none away. */
export function maskTokens(text: string): string {
  return text.includes("fbw_") || text.includes("fbk_") ? text.replace(TOKENS, "$1_***") : text;
}
