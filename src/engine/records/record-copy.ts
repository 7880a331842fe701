import type { ApiKey } from "../../domain/account.ts";
import { type Endpoint, ENDPOINT_DEFAULTS } from "../../domain/endpoint.ts";
import type { WorkerToken } from "../../domain/worker.ts";
import type { ConfigurationRecord, RecordChange } from "../../store/configuration-record.ts";
import type { RecordUse } from "../../store/record-steps.ts";
import type { RecordBodies, StoredRelease } from "./record-bodies.ts";

type Kind = keyof RecordBodies;

/** Defaults for records of earlier versions, which did not have these members. */
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

/** All records in memory, with what finds them otherwise than by their ids. */
export class RecordCopy {
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
    host: new Map(),
    jobOperation: new Map(),
  };
  /** By SHA-256. */
  readonly bearers = new Map<string, Bearer>();
  /** By endpoint, the newest first. */
  readonly releases = new Map<string, StoredRelease[]>();
  /** Ids of endpoints by account and name. */
  readonly #endpointNames = new Map<string, string>();
  /** By kind and account. */
  readonly #uses = new Map<string, RecordUse>();
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

  /** As `Configuration.endpointNamed`. */
  endpointNamed(account: string, name: string): Endpoint | undefined {
    const id = this.#endpointNames.get(nameKey({ account, name }));
    return id === undefined ? undefined : this.records.endpoint.get(id)?.body;
  }

  use(kind: Kind, account: string): RecordUse {
    return this.#uses.get(`${kind} ${account}`) ?? NOTHING;
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
    if (kind === "endpoint" && body.deletedAt === undefined) this.#endpointNames.set(nameKey(body), id);
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
    const { records: present, bytes } = this.#uses.get(place) ?? NOTHING;
    this.#uses.set(place, { records: present + sign, bytes: bytes + sign * size });
  }

  /** A later change may have given the name to another endpoint already. */
  #forgetName(endpoint: Endpoint): void {
    const key = nameKey(endpoint);
    if (this.#endpointNames.get(key) === endpoint.id) this.#endpointNames.delete(key);
  }

  #forgetRelease({ id, endpoint }: StoredRelease): void {
    const others = (this.releases.get(endpoint) ?? []).filter((release) => release.id !== id);
    if (others.length > 0) this.releases.set(endpoint, others);
    else this.releases.delete(endpoint);
  }
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
