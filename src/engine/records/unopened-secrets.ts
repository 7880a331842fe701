import { type ErrorCode, ForebayError } from "../../domain/errors.ts";
import type { SealedTable } from "../../store/sealed-values.ts";
import type { WithLog } from "../verb-needs.ts";
import type { RecordAccess } from "./configuration.ts";

import { purposeOf, UnreadableSecret, type WithSecrets } from "../secret-box.ts";
import { SEALED_KINDS, withSealedTexts } from "./sealed-texts.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** How many jobs and deliveries are checked, so that a start does not read all of them. */
const LOOKED = 100;

/** Errors of payloads that are missing or damaged. */
const SAY_NOTHING: ReadonlySet<ErrorCode> = new Set(["JOB_NOT_FOUND", "PAYLOAD_DAMAGED"]);

interface TriedSecrets {
  readonly opened: number;
  readonly unopened: number;
}

/**
 * Throws `mismatch` if the data has secrets and the keys open none of them: the server has the keys of other
 * data, or has lost its own. Checks all configuration records, and some jobs and deliveries. Servers on a
 * database compare their keys in the database.
 */
export async function refuseOtherKeys(
  engine: RecordAccess & WithSecrets & WithLog,
  mismatch: string,
): Promise<void> {
  if (engine.store.shared !== undefined) return;
  const { opened, unopened } = await tryKeys(engine);
  if (unopened === 0) return;
  if (opened === 0) throw new OperatorFault(mismatch);
  engine.log.warn("some secrets do not open with the keys of this server", { opened, unopened });
}

async function tryKeys(engine: RecordAccess & WithSecrets): Promise<TriedSecrets> {
  let [opened, unopened] = [0, 0];
  const look = (sealed: Uint8Array, purpose: string): void => {
    if (opens(engine, sealed, purpose)) opened++;
    else unopened++;
  };
  for (const kind of SEALED_KINDS) {
    for (const body of engine.configuration.all(kind)) {
      withSealedTexts(kind, body, (sealed, purpose) => {
        look(Buffer.from(sealed, "base64"), purpose);
        return sealed;
      });
    }
  }
  for (const table of ["job", "delivery"] as const) await lookAtRows(engine, table, look);
  return { opened, unopened };
}

async function lookAtRows(
  engine: RecordAccess & WithSecrets,
  table: SealedTable,
  look: (sealed: Uint8Array, purpose: string) => void,
): Promise<void> {
  const { values } = await engine.store.sealed(table, undefined, LOOKED);
  for (const { of, endpoint, job, sealed } of values) {
    try {
      const purpose = purposeOf(of === "secret" ? "s3Config" : "webhook", endpoint, job);
      look(await engine.store.readPayload(sealed), purpose);
    } catch (error) {
      // A damaged payload says nothing about the keys. `forebay doctor` reports it.
      const saysNothing = error instanceof ForebayError && SAY_NOTHING.has(error.code);
      if (!saysNothing) throw error;
    }
  }
}

function opens({ secrets }: WithSecrets, sealed: Uint8Array, purpose: string): boolean {
  try {
    secrets.open(sealed, purpose);
    return true;
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    return false;
  }
}
