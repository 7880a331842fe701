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
 * This server's copy of all configuration. The way of a job asks only here; `refresh` brings in what has
 * changed in the store since the last time, whoever changed it.
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
  const records: { readonly [K in Kind]: Map<string, Versioned<RecordBodies[K]>> } = {
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
  const bearers = new Map<string, Bearer>();
  const releases = new Map<string, StoredRelease[]>();
  /** Ids of endpoints by account and name. */
  const endpointNames = new Map<string, string>();
  const watchers = new Map<string, Set<() => void>>();
  const uses = new Map<string, RecordUse>();
  let lastChange = 0;

  function adopt({ kind, id, record, change }: RecordChange): void {
    lastChange = Math.max(lastChange, change);
    // A newer version on the same database may write kinds that this one does not know.
    if (!Object.hasOwn(records, kind)) return;
    const known = records[kind].get(id);
    if (known !== undefined) count(kind, known, -1);
    const previous = known?.body;
    if (previous !== undefined) for (const digest of digestsOf(previous)) bearers.delete(digest);
    const endpoint = kind === "endpoint" ? records.endpoint.get(id)?.body : undefined;
    if (endpoint !== undefined) forgetName(endpoint);
    const release = records.release.get(id)?.body;
    if (kind === "release" && release !== undefined) forgetRelease(release);
    if (record === undefined) records[kind].delete(id);
    else add(kind, id, record);
    for (const changed of watchers.get(`${kind} ${id}`) ?? []) changed();
  }

  function add(kind: Kind, id: string, record: ConfigurationRecord): void {
    const read = JSON.parse(record.body);
    const body = { ...EARLIER[kind], ...read };
    const added = { body, version: record.version, size: record.body.length };
    records[kind].set(id, added);
    count(kind, added, 1);
    if (kind === "key") for (const digest of digestsOf(body)) bearers.set(digest, { kind, key: body });
    if (kind === "worker") bearers.set(body.digest, { kind, token: body });
    if (kind === "endpoint" && body.deletedAt === undefined) endpointNames.set(nameKey(body), id);
    if (kind === "release") {
      const all = [...(releases.get(body.endpoint) ?? []), body];
      releases.set(
        body.endpoint,
        all.sort((a, b) => b.number - a.number),
      );
    }
  }

  function count<K extends Kind>(kind: K, { body, size }: Versioned<RecordBodies[K]>, sign: 1 | -1): void {
    const place = `${kind} ${"account" in body ? body.account : ""}`;
    const { records: present, bytes } = uses.get(place) ?? NOTHING;
    uses.set(place, { records: present + sign, bytes: bytes + sign * size });
  }

  /** A later change may have given the name to another endpoint already. */
  function forgetName(endpoint: Endpoint): void {
    const key = nameKey(endpoint);
    if (endpointNames.get(key) === endpoint.id) endpointNames.delete(key);
  }

  function forgetRelease({ id, endpoint }: StoredRelease): void {
    const others = (releases.get(endpoint) ?? []).filter((release) => release.id !== id);
    if (others.length > 0) releases.set(endpoint, others);
    else releases.delete(endpoint);
  }

  function watch(kind: Kind, id: string, changed: () => void): () => void {
    const place = `${kind} ${id}`;
    const present = watchers.get(place) ?? new Set();
    watchers.set(place, present.add(changed));
    return () => {
      present.delete(changed);
      if (present.size === 0 && watchers.get(place) === present) watchers.delete(place);
    };
  }

  async function read(): Promise<void> {
    for (const change of await store.changesSince(lastChange)) adopt(change);
  }

  /** The last one that has begun, and the one that begins when it is over. */
  let underWay: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  /**
   * One at a time: of two side by side the earlier could bring in what the later has found changed since. One
   * under way may have read before the caller's own change, so all who come meanwhile share the next one.
   */
  function refresh(): Promise<void> {
    next ??= underWay
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        underWay = read();
        return underWay;
      });
    return next;
  }

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
    watch,
    refresh,
    isUntouched: () => lastChange === 0,
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
