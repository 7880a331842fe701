import { ForebayError, PayloadDamaged } from "../domain/errors.ts";
import type { ResealedValue, SealedPlace, SealedTable, SealedValue } from "../store/sealed-values.ts";
import { purposeOf, type WithSecrets } from "./secret-box.ts";
import type { StoreAccess, WithLog, WithStop } from "./verb-needs.ts";

/** What encrypting the secrets of jobs again needs. */
export interface Resealing extends StoreAccess, WithSecrets, WithLog, WithStop {}

/** Rows that are read before other calls run. */
const SLICE = 100;

/**
 * Encrypts the secrets of jobs and deliveries with the newest key. Answers how many had another key. Jobs
 * come first: a delivery that begins meanwhile copies the secret of its job. Throws SHUTTING_DOWN.
 */
export async function resealJobs(engine: Resealing): Promise<number> {
  return (await resealTable(engine, "job")) + (await resealTable(engine, "delivery"));
}

async function resealTable(engine: Resealing, table: SealedTable): Promise<number> {
  let count = 0;
  let after: SealedPlace | undefined;
  do {
    if (engine.isStopping)
      throw new ForebayError("SHUTTING_DOWN", "The server is stopping. Rotate again after it restarts.");
    const { values, next } = await engine.store.sealed(table, after, SLICE);
    count += await resealValues(engine, values);
    after = next;
    await new Promise(setImmediate);
  } while (after !== undefined);
  return count;
}

async function resealValues(engine: Resealing, values: readonly SealedValue[]): Promise<number> {
  const resealed: ResealedValue[] = [];
  for (const value of values) {
    const by = await resealedValue(engine, value);
    if (by !== undefined) resealed.push(by);
  }
  if (resealed.length === 0) return 0;
  const [replaced] = await engine.store.apply([{ step: "reseal", values: resealed }], engine.clock.now());
  const lost = resealed.filter((_, index) => replaced[index] !== true);
  for (const { by } of lost) await engine.store.discardPayload(by);
  return resealed.length - lost.length;
}

/**
 * Undefined if there is nothing to do: it has the newest key, its job is gone, or it is damaged. The other
 * secrets are encrypted all the same.
 */
async function resealedValue(engine: Resealing, value: SealedValue): Promise<ResealedValue | undefined> {
  const { of, endpoint, job } = value;
  const purpose = purposeOf(of === "secret" ? "s3Config" : "webhook", endpoint, job);
  const sealed = await readUnlessLost(engine, value);
  const by = sealed && engine.secrets.reseal(sealed, purpose);
  return by && { ...value, by: of === "secret" ? await engine.store.writePayload(by) : by };
}

async function readUnlessLost(
  engine: Resealing,
  { sealed, ...named }: SealedValue,
): Promise<Uint8Array | undefined> {
  try {
    return await engine.store.readPayload(sealed);
  } catch (error) {
    if (error instanceof PayloadDamaged) {
      const { where } = error;
      engine.log.error("a stored secret is damaged and keeps its key", { job: named.job, where });
      return undefined;
    }
    if (error instanceof ForebayError && error.code === "JOB_NOT_FOUND") return undefined;
    throw error;
  }
}
