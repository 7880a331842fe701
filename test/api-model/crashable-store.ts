import type { Store } from "../../src/store/store.ts";

/** A store under the model test. */
export interface CrashableStore {
  readonly store: Store;
  /** Abandons the store as it is, without closing it, and opens what a killed process would have left. */
  crash(): Promise<Store>;
  /** Closes what is open, looks for faults in what is stored, and removes it. */
  end(): Promise<readonly string[]>;
}

/** Opens a fresh, empty store. */
export type OpenCrashableStore = () => Promise<CrashableStore>;
