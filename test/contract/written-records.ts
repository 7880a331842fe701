import type { ConfigurationRecord, RecordKind } from "../../src/store/configuration-record.ts";
import type { Store } from "../../src/store/store.ts";
import { START } from "./queue.ts";

/** Puts the record, and answers what became of it. */
export async function put(store: Store, written: ConfigurationRecord) {
  const [{ outcome }] = await store.apply([{ step: "put", record: written }], START);
  return outcome;
}

/** Removes the record, and answers what became of it. */
export async function remove(store: Store, kind: RecordKind, id: string) {
  const [{ outcome }] = await store.apply([{ step: "remove", kind, id }], START);
  return outcome;
}
