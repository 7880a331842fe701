import type { PostgresStoreOptions } from "../../src/store/postgres/postgres-store.ts";
import { MemoryLog } from "./memory-log.ts";

/** What opens a store on a database of a test. */
export function storeOptions(url: string): PostgresStoreOptions {
  return { url, listenUrl: "", keyDigests: ["digest of the key of the tests"], log: new MemoryLog() };
}
