import type { Engine } from "../engine.ts";
import { freeBytes } from "../free-bytes.ts";

/** The text that a record holds sealed, as base64; its bytes are the caller's own. */
export function openSealedText({ secrets }: Engine, sealed: string, purpose: string): Uint8Array {
  const bytes = Buffer.from(sealed, "base64");
  try {
    return secrets.open(bytes, purpose);
  } finally {
    freeBytes(bytes);
  }
}
