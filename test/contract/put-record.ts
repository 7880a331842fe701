import type { ConfigurationRecord, RecordKind } from "../../src/store/configuration-record.ts";
import type { Store } from "../../src/store/store.ts";
import { START } from "./queue.ts";

export function record(given: Partial<ConfigurationRecord>): ConfigurationRecord {
  return { kind: "template", id: "a", account: "account-1", name: null, version: 1, body: "{}", ...given };
}

export async function put(store: Store, written: ConfigurationRecord) {
  const [{ outcome }] = await store.apply([{ step: "put", record: written }], START);
  return outcome;
}

export async function remove(store: Store, kind: RecordKind, id: string) {
  const [{ outcome }] = await store.apply([{ step: "remove", kind, id }], START);
  return outcome;
}
