import { afterAll, afterEach, beforeAll, beforeEach } from "bun:test";
import type { Change, Place } from "../support/damage.ts";
import type { Store } from "../../src/store/store.ts";

/** A store under test. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens the same data anew; undefined where the data does not survive that. */
  readonly reopen: (() => Promise<Store>) | undefined;
  /** Changes a payload as it lies in the store, which is closed meanwhile; undefined where it cannot be. */
  readonly change?: ((place: Place, change: Change) => Promise<Store>) | undefined;
  /**
   * Chunks, and payloads outside the rows of their jobs, as the tables and files of the store have them;
   * undefined where only the store itself can look.
   */
  readonly outsideRows?: (() => Promise<number>) | undefined;
  /** Closes what is open and removes the data. */
  dispose(): Promise<void>;
}

/** Opens a fresh, empty store. */
export type OpenStore = () => Promise<OpenedStore>;

/** One store for all tests of the enclosing group: for tests that keep to an endpoint of their own. */
export function sharedStore(open: OpenStore): () => Store {
  let opened: OpenedStore | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.dispose());
  return () => theStore(opened).store;
}

/** A store for each test of the enclosing group: for tests that read across endpoints, or that close it. */
export function freshStore(open: OpenStore): () => OpenedStore {
  let opened: OpenedStore | undefined;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened?.dispose());
  return () => theStore(opened);
}

function theStore(opened: OpenedStore | undefined): OpenedStore {
  if (opened === undefined) throw new Error("the store is opened by a hook, so only tests can have it");
  return opened;
}
