import { openPostgresStore } from "../../src/store/postgres/postgres-store.ts";
import { storeContract } from "../contract/store-contract.ts";
import { changeInPostgres } from "../support/damage.ts";
import { storeOptions } from "../support/postgres-store-options.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";

const server = suiteDatabases();

storeContract("PostgreSQL", async () => {
  const { url, giveBack } = await server().lendDatabase();
  let store = await openPostgresStore(storeOptions(url));
  return {
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      store = await openPostgresStore(storeOptions(url));
      return store;
    },
    async change(place, change) {
      await store.close();
      await changeInPostgres(url, place, change);
      store = await openPostgresStore(storeOptions(url));
      return store;
    },
    async dispose() {
      await store.close();
      await giveBack();
    },
  };
});
