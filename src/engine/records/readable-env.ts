import type { Engine } from "../engine.ts";
import { UnreadableSecret } from "../secret-box.ts";

/**
 * The variables of a record as it is shown, JSON in bytes that are the caller's own: none if no key of this
 * server opens them, which is logged. One such record must not keep the others of a list from being shown.
 */
export function readableEnv(engine: Engine, record: string, open: () => Uint8Array): Uint8Array {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    engine.log.error("the environment of a record cannot be decrypted, and is shown empty", {
      record,
      error: error.message,
    });
    return Buffer.from("{}");
  }
}
