import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { inspectFiles } from "../crash/inspect-files.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { CrashableStore } from "./crashable-store.ts";

/**
 * SQLite in a directory. A crash copies the files between two commits, in one go, and opens the copy: that is
 * what `kill -9` leaves. What was in flight then goes on in the old files, which nobody reads any more.
 */
export async function sqliteOnFile(): Promise<CrashableStore> {
  const root = await temporaryDirectory();
  const abandoned: Store[] = [];
  let directory = join(root.path, "0");
  let store = await open(directory);
  return {
    store,
    async crash() {
      const copy = join(root.path, String(abandoned.push(store)));
      copyLive(directory, copy);
      directory = copy;
      store = await open(directory);
      return store;
    },
    async end() {
      for (const one of [...abandoned, store]) await one.close();
      const { faults } = inspectFiles(directory);
      await root[Symbol.asyncDispose]();
      return faults;
    },
  };
}

/** The index beside the log is left out: it is memory shared among processes, and made anew from the log. */
function copyLive(from: string, to: string): void {
  mkdirSync(to);
  for (const name of ["forebay.db", "forebay.db-wal", "payloads"]) {
    const source = join(from, name);
    if (existsSync(source)) cpSync(source, join(to, name), { recursive: true });
  }
}

function open(directory: string): Promise<Store> {
  return openSqliteStore({
    directory,
    onFatal(error) {
      throw error;
    },
  });
}
