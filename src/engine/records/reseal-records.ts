import { ForebayError } from "../../domain/errors.ts";

import { putRecord, type RecordChanges } from "./put-record.ts";
import { SEALED_KINDS, type SealedKind, withSealedTexts } from "./sealed-texts.ts";

/** Encrypts the secrets of configuration records with the newest key. Answers how many had another key. */
export async function resealRecords(engine: RecordChanges): Promise<number> {
  await engine.configuration.refresh();
  let count = 0;
  for (const kind of SEALED_KINDS) {
    for (const { id } of engine.configuration.all(kind)) count += await resealRecord(engine, kind, id);
  }
  return count;
}

/** If the record changes meanwhile, it is read and encrypted again. */
async function resealRecord(engine: RecordChanges, kind: SealedKind, id: string): Promise<number> {
  for (;;) {
    const body = engine.configuration.get(kind, id);
    if (body === undefined) return 0;
    let count = 0;
    const resealed = withSealedTexts(kind, body, (sealed, purpose) => {
      const by = engine.secrets.reseal(Buffer.from(sealed, "base64"), purpose);
      if (by === undefined) return sealed;
      count++;
      return Buffer.from(by).toString("base64");
    });
    if (count === 0) return 0;
    try {
      await putRecord(engine, kind, resealed);
      return count;
    } catch (error) {
      if (!(error instanceof ForebayError && error.code === "CHANGED_MEANWHILE")) throw error;
    }
  }
}
