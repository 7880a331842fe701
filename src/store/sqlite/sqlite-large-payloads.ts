import { PayloadDamaged, resultExpired } from "../../domain/errors.ts";
import { isStored, PAYLOAD_INLINE_LIMIT, type Payload } from "../../domain/payload.ts";
import type { PayloadFiles } from "../payload-files.ts";
import type { Store } from "../store.ts";
import type { Payloads } from "./sqlite-payloads.ts";

/** The payloads that callers write and read: large ones are files. */
export function largePayloads(
  files: PayloadFiles,
  payloads: Payloads,
): Pick<Store, "writePayload" | "readPayload" | "discardPayload"> {
  async function writeFile(bytes: Uint8Array): Promise<Payload> {
    const file = crypto.randomUUID();
    await files.write(file, bytes);
    return { file, size: bytes.length };
  }

  return {
    writePayload: (bytes) => (bytes.length <= PAYLOAD_INLINE_LIMIT ? bytes : writeFile(bytes)),

    async readPayload(payload) {
      if (!isStored(payload)) return payload;
      const { file, size, damage } = payload;
      if (damage !== undefined) throw new PayloadDamaged(damage);
      try {
        return await files.read(file, size);
      } catch (error) {
        // The row went first: the retention has ended since it was read.
        if (error instanceof PayloadDamaged && !payloads.isNamed(file)) throw resultExpired();
        throw error;
      }
    },

    async discardPayload(payload) {
      if (isStored(payload) && payload.damage === undefined) await files.remove(payload.file);
    },
  };
}

/**
 * Removes files that no row names: written for a step that a crash kept from happening, or left by a job that
 * is gone.
 */
export async function removeOrphans(files: PayloadFiles, named: Set<string>): Promise<void> {
  for (const name of await files.list()) if (!named.has(name)) await files.remove(name);
}
