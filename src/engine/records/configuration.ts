import type { Endpoint } from "../../domain/endpoint.ts";
import type { RecordUse } from "../../store/record-steps.ts";
import type { Store } from "../../store/store.ts";
import type { StoreAccess } from "../verb-needs.ts";
import type { RecordBodies, StoredRelease } from "./record-bodies.ts";
import { type Bearer, RecordCopy } from "./record-copy.ts";

type Kind = keyof RecordBodies;

/**
 * This server's copy of all configuration. The path of a job reads only this copy. `refresh` brings in what
 * has changed in the store since the last time, whoever changed it.
 */
export interface Configuration {
  get<K extends Kind>(kind: K, id: string): RecordBodies[K] | undefined;
  /** 0 when there is no such record. */
  version(kind: Kind, id: string): number;
  /** The account's endpoint of this name; undefined for one that is being deleted. */
  endpointNamed(account: string, name: string): Endpoint | undefined;
  /** All records of a kind, in no order. */
  all<K extends Kind>(kind: K): RecordBodies[K][];
  /** What the account has of a kind. */
  use(kind: Kind, account: string): RecordUse;
  /** Who has the token, or the key without an id in it, with this SHA-256. */
  bearer(digest: string): Bearer | undefined;
  /** The releases of an endpoint, the newest first. */
  releases(endpoint: string): readonly StoredRelease[];
  /** Calls `changed` whenever the record has changed, here or elsewhere, until the answer is called. */
  watch(kind: Kind, id: string, changed: () => void): () => void;
  refresh(): Promise<void>;
  /** No record was ever written. */
  isUntouched(): boolean;
}

export interface WithConfiguration {
  readonly configuration: Configuration;
}

/** What reading and removing records needs. */
export type RecordAccess = StoreAccess & WithConfiguration;

export async function loadConfiguration(store: Store): Promise<Configuration> {
  const copy = new RecordCopy();
  const { records, bearers, releases } = copy;
  const refresh = oneAtATime(async () => {
    for (const change of await store.changesSince(copy.lastChange)) copy.adopt(change);
  });
  await refresh();
  return {
    get: (kind, id) => records[kind].get(id)?.body,
    version: (kind, id) => records[kind].get(id)?.version ?? 0,
    endpointNamed: (account, name) => copy.endpointNamed(account, name),
    all: (kind) => [...records[kind].values()].map((record) => record.body),
    use: (kind, account) => copy.use(kind, account),
    bearer: (digest) => bearers.get(digest),
    releases: (endpoint) => releases.get(endpoint) ?? [],
    watch: (kind, id, changed) => copy.watch(kind, id, changed),
    refresh,
    isUntouched: () => copy.lastChange === 0,
  };
}

/**
 * Of two reads side by side the earlier could bring in what the later has found changed since, so there is
 * one at a time. One under way may have read before the caller's own change, so all who come meanwhile share
 * the next one.
 */
function oneAtATime(read: () => Promise<void>): () => Promise<void> {
  /** The last one that has begun, and the one that begins when it is over. */
  let underWay: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= underWay
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        underWay = read();
        return underWay;
      });
    return next;
  };
}
