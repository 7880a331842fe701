import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { OpenStore } from "./opened-store.ts";
import { storeContract } from "./store-contract.ts";

const NO_DAMAGE = "its payloads lie on no disk";

const openAlone: OpenStore = async () => {
  const database = newMemoryDatabase();
  const open = () => openMemoryStore({ database });
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

const openShared: OpenStore = async () => {
  const database = newMemoryDatabase();
  const open = () => openMemoryStore({ database, sharing: { server: "one", time: () => 0 } });
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

storeContract("memory", openAlone, { sharing: "only one server works on it", damage: NO_DAMAGE });
storeContract("memory of several servers", openShared, { damage: NO_DAMAGE });
