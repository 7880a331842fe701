import { resolve } from "node:path";
import type { Config } from "./config.ts";
import { type Compacted, compactStore } from "./store/compact-store.ts";

/** Rewrites the database of the data directory. Throws one sentence when it cannot be done. */
export function compactData({ data }: Pick<Config, "data">): Compacted {
  return compactStore(resolve(data));
}
