/** The text as UTF-8: a small payload. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
