import { isStored, type Payload } from "../../../domain/payload.ts";
import type { ResealedValue } from "../../sealed-values.ts";
import { prepare } from "../sqlite-driver.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

type Place = [endpoint: string, id: string];
type Replaced = [endpoint: string, id: string, before: Uint8Array, by: Uint8Array];

export function sqliteReseal({ database, payloads }: Tables): StepRunner<"reseal"> {
  const select = prepare<{ seq: number; secret: PayloadColumn | null }, Place>(
    database,
    "SELECT seq, secret FROM job WHERE endpoint = ?1 AND id = ?2",
  );
  // `bytes` stays what was submitted, as the counter of the queue has it.
  const update = prepare<never, [seq: number, secret: PayloadColumn, beside: number]>(
    database,
    "UPDATE job SET secret = ?2, beside = max(beside, ?3) WHERE seq = ?1",
  );
  const replaceWebhook = {
    webhook: prepare<never, Replaced>(
      database,
      "UPDATE job SET webhook = ?4 WHERE endpoint = ?1 AND id = ?2 AND webhook = ?3",
    ),
    delivery: prepare<never, Replaced>(
      database,
      "UPDATE delivery SET webhook = ?4 WHERE endpoint = ?1 AND id = ?2 AND webhook = ?3",
    ),
  };

  function replaceSecret({ endpoint, id, sealed, by }: ResealedValue): boolean {
    const row = select.get(endpoint, id);
    if (row === null || row.secret === null || !isSame(payloads.load(row.secret), sealed)) return false;
    payloads.drop(row.secret);
    const secret = payloads.keep(by);
    update.run(row.seq, secret, typeof secret === "number" ? 1 : 0);
    return true;
  }

  return ({ values }) =>
    values.map((value) => {
      const { of, endpoint, id, sealed, by } = value;
      if (of === "secret") return replaceSecret(value);
      if (isStored(sealed) || isStored(by)) throw new RangeError("a sealed webhook lies in its row");
      return replaceWebhook[of].run(endpoint, id, sealed, by).changes > 0;
    });
}

function isSame(one: Payload, other: Payload): boolean {
  if (isStored(one) || isStored(other)) return isStored(one) && isStored(other) && one.file === other.file;
  return Buffer.compare(one, other) === 0;
}
