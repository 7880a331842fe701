import type { ApiKey } from "../../domain/account.ts";
import { type Endpoint, ENDPOINT_DEFAULTS } from "../../domain/endpoint.ts";
import type { WorkerToken } from "../../domain/worker.ts";
import type { ConfigurationRecord, RecordChange } from "../../store/configuration-record.ts";
import type { RecordUse } from "../../store/record-steps.ts";
import type { Store } from "../../store/store.ts";
import type { StoreAccess } from "../verb-needs.ts";
import type { RecordBodies, StoredRelease } from "./record-bodies.ts";

type Kind = keyof RecordBodies;

/** What records say that were written before they could say it. */
const EARLIER: { readonly [K in Kind]?: Partial<RecordBodies[K]> } = {
  // Before there were scopes every key was one of the operator.
  key: { scopes: ["admin"] },
  endpoint: ENDPOINT_DEFAULTS,
};

/** Whom a secret names. */
export type Bearer =
  { readonly kind: "key"; readonly key: ApiKey } | { readonly kind: "worker"; readonly token: WorkerToken };

/** A record with the version that the next put must follow. */
interface Versioned<Body> {
  readonly body: Body;
  readonly version: number;
  /** Of the body as it is stored, bytes; characters beyond ASCII count as one. */
  readonly size: number;
}

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
  /** Who has the token with this SHA-256, or the key that does not tell its id. */
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
  const { records, endpointNames, bearers, releases, uses } = copy;
  const refresh = oneAtATime(async () => {
    for (const change of await store.changesSince(copy.lastChange)) copy.adopt(change);
  });
  await refresh();
  return {
    get: (kind, id) => records[kind].get(id)?.body,
    version: (kind, id) => records[kind].get(id)?.version ?? 0,
    endpointNamed: (account, name) =>
      records.endpoint.get(endpointNames.get(nameKey({ account, name })) ?? "")?.body,
    all: (kind) => [...records[kind].values()].map((record) => record.body),
    use: (kind, account) => uses.get(`${kind} ${account}`) ?? NOTHING,
    bearer: (digest) => bearers.get(digest),
    releases: (endpoint) => releases.get(endpoint) ?? [],
    watch: (kind, id, changed) => copy.watch(kind, id, changed),
    refresh,
    isUntouched: () => copy.lastChange === 0,
  };
}

/** All records in memory, with what finds them otherwise than by their ids. */
class RecordCopy {
  readonly records: { readonly [K in Kind]: Map<string, Versioned<RecordBodies[K]>> } = {
    account: new Map(),
    key: new Map(),
    endpoint: new Map(),
    template: new Map(),
    release: new Map(),
    worker: new Map(),
    keyUse: new Map(),
    endedSessions: new Map(),
    webhookSecret: new Map(),
    deployment: new Map(),
    registryLogin: new Map(),
    templateUse: new Map(),
  };
  /** By SHA-256. */
  readonly bearers = new Map<string, Bearer>();
  /** By endpoint, the newest first. */
  readonly releases = new Map<string, StoredRelease[]>();
  /** Ids of endpoints by account and name. */
  readonly endpointNames = new Map<string, string>();
  /** By kind and account. */
  readonly uses = new Map<string, RecordUse>();
  readonly #watchers = new Map<string, Set<() => void>>();
  /** The number of the newest change. */
  lastChange = 0;

  adopt({ kind, id, record, change }: RecordChange): void {
    this.lastChange = Math.max(this.lastChange, change);
    const { records } = this;
    // A newer version on the same database may write kinds that this one does not know.
    if (!Object.hasOwn(records, kind)) return;
    const known = records[kind].get(id);
    if (known !== undefined) this.#count(kind, known, -1);
    const previous = known?.body;
    if (previous !== undefined) for (const digest of digestsOf(previous)) this.bearers.delete(digest);
    const endpoint = kind === "endpoint" ? records.endpoint.get(id)?.body : undefined;
    if (endpoint !== undefined) this.#forgetName(endpoint);
    const release = records.release.get(id)?.body;
    if (kind === "release" && release !== undefined) this.#forgetRelease(release);
    if (record === undefined) records[kind].delete(id);
    else this.#add(kind, id, record);
    for (const changed of this.#watchers.get(`${kind} ${id}`) ?? []) changed();
  }

  watch(kind: Kind, id: string, changed: () => void): () => void {
    const place = `${kind} ${id}`;
    const present = this.#watchers.get(place) ?? new Set();
    this.#watchers.set(place, present.add(changed));
    return () => {
      present.delete(changed);
      if (present.size === 0 && this.#watchers.get(place) === present) this.#watchers.delete(place);
    };
  }

  #add(kind: Kind, id: string, record: ConfigurationRecord): void {
    const read = JSON.parse(record.body);
    const body = { ...EARLIER[kind], ...read };
    const added = { body, version: record.version, size: record.body.length };
    this.records[kind].set(id, added);
    this.#count(kind, added, 1);
    if (kind === "key") for (const digest of digestsOf(body)) this.bearers.set(digest, { kind, key: body });
    if (kind === "worker") this.bearers.set(body.digest, { kind, token: body });
    if (kind === "endpoint" && body.deletedAt === undefined) this.endpointNames.set(nameKey(body), id);
    if (kind === "release") {
      const all = [...(this.releases.get(body.endpoint) ?? []), body];
      this.releases.set(
        body.endpoint,
        all.sort((a, b) => b.number - a.number),
      );
    }
  }

  #count<K extends Kind>(kind: K, { body, size }: Versioned<RecordBodies[K]>, sign: 1 | -1): void {
    const place = `${kind} ${"account" in body ? body.account : ""}`;
    const { records: present, bytes } = this.uses.get(place) ?? NOTHING;
    this.uses.set(place, { records: present + sign, bytes: bytes + sign * size });
  }

  /** A later change may have given the name to another endpoint already. */
  #forgetName(endpoint: Endpoint): void {
    const key = nameKey(endpoint);
    if (this.endpointNames.get(key) === endpoint.id) this.endpointNames.delete(key);
  }

  #forgetRelease({ id, endpoint }: StoredRelease): void {
    const others = (this.releases.get(endpoint) ?? []).filter((release) => release.id !== id);
    if (others.length > 0) this.releases.set(endpoint, others);
    else this.releases.delete(endpoint);
  }
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

const NOTHING: RecordUse = { records: 0, bytes: 0 };

/** Names are unique within an account. No name has a NUL character. */
function nameKey({ account, name }: Pick<Endpoint, "account" | "name">): string {
  return `${account}\0${name}`;
}

/** Under which SHA-256 sums a record can be found. */
function digestsOf(body: RecordBodies[Kind]): string[] {
  if (!("digest" in body)) return [];
  const previous = "previous" in body ? body.previous : undefined;
  return previous === undefined ? [body.digest] : [body.digest, previous.digest];
}
