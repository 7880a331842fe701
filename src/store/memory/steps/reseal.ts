import { isStored, type Payload } from "../../../domain/payload.ts";
import { keyOf } from "../../key-of.ts";
import type { ResealedValue } from "../../sealed-values.ts";
import type { MemoryDatabase } from "../memory-database.ts";
import type { MemoryStepRunner } from "../transaction.ts";

export const reseal: MemoryStepRunner<"reseal"> = ({ values }, _now, { database }) =>
  values.map((value) => (value.of === "secret" ? replaceSecret : replaceWebhook)(value, database));

/** `bytes` stays what was submitted, as the counters of the queue have it. */
function replaceSecret({ endpoint, id, sealed, by }: ResealedValue, database: MemoryDatabase): boolean {
  const { jobs, payloads } = database;
  const job = jobs.get(keyOf(endpoint, id));
  if (job?.secret === undefined || !isSame(job.secret, sealed)) return false;
  jobs.put({ ...job, secret: payloads.keep(by) });
  payloads.drop(job.secret);
  return true;
}

function replaceWebhook({ of, endpoint, id, sealed, by }: ResealedValue, database: MemoryDatabase): boolean {
  if (isStored(sealed) || isStored(by)) throw new RangeError("a sealed webhook lies in its row");
  const key = keyOf(endpoint, id);
  const [job, delivery] = [database.jobs.get(key), database.deliveries.get(key)];
  const webhook = of === "delivery" ? delivery?.webhook : job?.webhook;
  if (!webhook || !isSame(webhook, sealed)) return false;
  if (of === "delivery" && delivery !== undefined) database.deliveries.put({ ...delivery, webhook: by });
  if (of !== "delivery" && job !== undefined) database.jobs.put({ ...job, webhook: by });
  return true;
}

function isSame(one: Payload, other: Payload): boolean {
  if (isStored(one) || isStored(other)) return isStored(one) && isStored(other) && one.file === other.file;
  return Buffer.compare(one, other) === 0;
}
