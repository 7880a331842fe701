/** Smaller ones are not worth it, and can share their memory with others, bytes. */
const LARGE = 16_384;

/** The cipher makes its output a little larger than what it says. */
const SLACK = 32;

/**
 * Gives the memory of large bytes back at once; they are empty afterwards. The garbage collector gives it
 * back some time, and until then whoever makes many has all of them. Bytes that are a part of others stay as
 * they are.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < LARGE || buffer.byteLength > byteLength + SLACK) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
