import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { changeInDirectory } from "../support/damage.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { OpenStore } from "./opened-store.ts";
import { storeContract } from "./store-contract.ts";

const ONE_SERVER = "only one server works on it";

const openOnFile: OpenStore = async () => {
  const directory = await temporaryDirectory();
  const open = () => openSqliteStore({ directory: directory.path, onFatal: fail });
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
    async change(place, change) {
      await store.close();
      await changeInDirectory(directory.path, place, change);
      store = await open();
      return store;
    },
    outsideRows: async () => countOutsideRows(directory.path),
    async dispose() {
      await store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
};

storeContract("SQLite on file", openOnFile, { sharing: ONE_SERVER });

function countOutsideRows(directory: string): number {
  using database = new Database(join(directory, "forebay.db"), { readonly: true });
  const count = `SELECT (SELECT count(*) FROM payload) + (SELECT count(*) FROM chunk) +
    (SELECT count(*) FROM new_chunk) AS count`;
  const row = database.query<{ count: number }, []>(count).get();
  return (row?.count ?? 0) + readdirSync(join(directory, "payloads")).length;
}

function fail(error: Error): void {
  throw error;
}
