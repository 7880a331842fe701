import { SQL } from "bun";
import { openPostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { Store } from "../../../src/store/store.ts";
import type { LentDatabase } from "../../support/postgres-server.ts";
import { storeOptions } from "../../support/postgres-store-options.ts";
import { type HeldWire, holdPostgres } from "./held-wire.ts";

/** The store of one server, behind a wire that can stop its transactions. */
export interface HeldStore {
  readonly store: Store;
  readonly wire: HeldWire;
  /** Transactions that this server has begun: one that is repeated counts again. */
  begun(): number;
}

/** Two servers on one database. */
export interface TwoStores extends AsyncDisposable {
  readonly one: HeldStore;
  readonly other: HeldStore;
  /** Asks the database beside both. */
  readonly admin: SQL;
}

export async function openTwoStores(database: LentDatabase): Promise<TwoStores> {
  const one = await openHeldStore(database.url);
  const other = await openHeldStore(database.url);
  const admin = new SQL(database.url, { max: 3 });
  return {
    one,
    other,
    admin,
    async [Symbol.asyncDispose]() {
      for (const { store, wire } of [one, other]) {
        await store.close();
        await wire[Symbol.asyncDispose]();
      }
      await admin.close();
      await database.giveBack();
    },
  };
}

async function openHeldStore(url: string): Promise<HeldStore> {
  const wire = await holdPostgres(url);
  let begun = 0;
  const onTransaction = () => {
    begun++;
    return () => undefined;
  };
  const store = await openPostgresStore({ ...storeOptions(wire.url), onTransaction });
  return { store, wire, begun: () => begun };
}
