import type { KeptData } from "../store/kept-data.ts";
import { isStored } from "../domain/payload.ts";
import { SEALED_KINDS, withSealedTexts } from "./records/sealed-texts.ts";
import { purposeOf, type SecretBox } from "./secret-box.ts";
import { OperatorFault } from "../domain/operator-fault.ts";

/** Checks all secrets in the data. Throws a sentence if a key for one is missing. */
export function checkSealed(secrets: SecretBox): (kept: KeptData) => Promise<void> {
  function check(sealed: Uint8Array, purpose: string): void {
    try {
      secrets.open(sealed, purpose);
    } catch (error) {
      throw new OperatorFault(
        "the given key cannot decrypt the secrets in this data, so nothing was copied. " +
          "Give the key of the server with --secret-key or --secret-key-file.",
        { cause: error },
      );
    }
  }

  return async (kept) => {
    for (const { kind, body } of kept.records()) {
      const sealedKind = SEALED_KINDS.find((each) => each === kind);
      if (sealedKind === undefined) continue;
      withSealedTexts(sealedKind, JSON.parse(body), (sealed, purpose) => {
        check(Buffer.from(sealed, "base64"), purpose);
        return sealed;
      });
    }
    for (const { endpoint, id, webhook, payloads } of kept.jobs()) {
      const { secret } = payloads;
      if (webhook !== null) check(webhook, purposeOf("webhook", endpoint, id));
      if (secret === undefined) continue;
      check(isStored(secret) ? await kept.readPayload(secret) : secret, purposeOf("s3Config", endpoint, id));
    }
    for (const { endpoint, job, webhook } of kept.deliveries()) {
      check(webhook, purposeOf("webhook", endpoint, job));
    }
  };
}
