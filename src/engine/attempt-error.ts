import { KEPT_ERROR_BYTES } from "../domain/attempt.ts";
import { PayloadDamaged } from "../domain/errors.ts";
import { isStored, type Payload } from "../domain/payload.ts";
import type { Engine } from "./engine.ts";

/** What the timeline shows of the error of a job: its text, of a long one the beginning. */
export async function errorOf({ store }: Engine, error: Payload): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = isStored(error) ? await store.readPayload(error) : error;
  } catch (damage) {
    if (!(damage instanceof PayloadDamaged)) throw damage;
    return "the stored error is damaged and cannot be read";
  }
  return beginningOf(String(JSON.parse(new TextDecoder().decode(bytes))));
}

/** At most so many bytes of it as UTF-8, and no part of a character. */
function beginningOf(text: string): string {
  const room = new Uint8Array(KEPT_ERROR_BYTES);
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read);
}
