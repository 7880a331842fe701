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
    async outsideRows() {
      const tables = ["payload", "payload_part", "chunk"];
      const counts = tables.map((table) => `(SELECT count(*)::int FROM forebay.${table})`);
      const database = new URL(url).pathname.slice(1);
      const rows = await server().run<{ count: number }>(`SELECT ${counts.join(" + ")} AS count`, database);
      return rows[0]?.count ?? 0;
    },
    async dispose() {
      await store.close();
      await giveBack();
    },
  };
});
