import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { type MemoryStoreOptions, openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { OpenStore } from "./opened-store.ts";
import { storeContract } from "./store-contract.ts";

const NO_DAMAGE = "its payloads lie on no disk";
const SEVERAL_SERVERS = { sharing: { server: "one", time: () => 0 } };

storeContract("memory", openOn({}), { sharing: "only one server works on it", damage: NO_DAMAGE });
storeContract("memory of several servers", openOn(SEVERAL_SERVERS), { damage: NO_DAMAGE });

/** A store on a database of its own, which stays when the store is closed. */
function openOn(options: Omit<MemoryStoreOptions, "database">): OpenStore {
  return async () => {
    const database = newMemoryDatabase();
    const open = () => openMemoryStore({ ...options, database });
    let store = await open();
    return {
      get store() {
        return store;
      },
      async reopen() {
        await store.close();
        store = await open();
        return store;
      },
      dispose: () => store.close(),
    };
  };
}
