import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { memoryFaults } from "../support/memory-faults.ts";
import type { CrashableStore } from "./crashable-store.ts";

/** A crash takes what the server remembers and all that was not committed, and leaves the database. */
export async function storeInMemory(): Promise<CrashableStore> {
  const database = newMemoryDatabase();
  let store = await openMemoryStore({ database });
  return {
    store,
    async crash() {
      store.crash();
      store = await openMemoryStore({ database });
      return store;
    },
    async end() {
      await store.close();
      return memoryFaults(database);
    },
  };
}
