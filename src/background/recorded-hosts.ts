import type { HostCertificates, HostRecord } from "../domain/host.ts";
import type { WithFleet } from "../engine/fleet-state.ts";
import type { WithConfiguration } from "../engine/records/configuration.ts";
import { certificatesOf } from "../engine/records/hosts.ts";
import { UnreadableSecret, type WithSecrets } from "../engine/secret-box.ts";
import type { WithLog } from "../engine/verb-needs.ts";
import type { Host, Hosts } from "../fleet/hosts.ts";

/** What following the records of hosts needs. */
type HostRecords = WithConfiguration & WithSecrets & WithFleet & WithLog;

/** Connects to a host. Does not wait until its engine answers. */
export type OpenHost = (record: HostRecord, certificates: HostCertificates | undefined) => Host;

interface OpenedHost {
  readonly host: Host;
  /** The record as it was read last. */
  readonly record: HostRecord;
  /** What the host was opened with. If that changes, it is another host of the same name. */
  readonly openedWith: string;
}

/**
 * The configured hosts, and those that have a record now: each reading follows the records, which any server
 * may have changed.
 */
export function recordedHosts(engine: HostRecords, configured: readonly Host[], open: OpenHost): Hosts {
  return new RecordedHosts(engine, configured, open);
}

class RecordedHosts implements Hosts {
  readonly #engine: HostRecords;
  readonly #configured: readonly Host[];
  readonly #open: OpenHost;
  readonly #opened = new Map<string, OpenedHost>();
  /** Records whose certificates this server cannot open. */
  readonly #unreadable = new WeakSet<HostRecord>();
  #removed: (host: Host) => void = () => undefined;

  constructor(engine: HostRecords, configured: readonly Host[], open: OpenHost) {
    this.#engine = engine;
    this.#configured = configured;
    this.#open = open;
  }

  all(): readonly Host[] {
    this.#follow();
    const recorded = [...this.#opened.values()].map(({ host }) => host);
    return [...this.#configured, ...recorded.toSorted((a, b) => (a.name < b.name ? -1 : 1))];
  }

  onRemoved(removed: (host: Host) => void): void {
    this.#removed = removed;
  }

  #follow(): void {
    // The record of a configured host has no address.
    const records = this.#engine.configuration.all("host").filter(({ address }) => address !== undefined);
    const present = new Set(records.map(({ id }) => id));
    for (const [name, { host }] of this.#opened) if (!present.has(name)) this.#close(host);
    for (const record of records) if (this.#opened.get(record.id)?.record !== record) this.#adopt(record);
  }

  /** A new or changed record: a change of the labels, for example, leaves the host as it is. */
  #adopt(record: HostRecord): void {
    if (this.#unreadable.has(record)) return;
    const certificates = this.#certificatesOf(record);
    // Without them, workers and their secrets would go to whoever answers at the address.
    if (certificates === "unreadable") return void this.#unreadable.add(record);
    const openedWith = JSON.stringify([record.address, record.gpus, certificates]);
    const before = this.#opened.get(record.id);
    if (before !== undefined && before.openedWith !== openedWith) this.#close(before.host);
    if (!this.#opened.has(record.id)) this.#engine.fleet.awayHosts.delete(record.id);
    const host = this.#opened.get(record.id)?.host ?? this.#open(record, certificates);
    this.#opened.set(record.id, { host, record, openedWith });
  }

  #certificatesOf(record: HostRecord): HostCertificates | undefined | "unreadable" {
    try {
      return certificatesOf(this.#engine, record);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      this.#engine.log.error("the certificates of a host cannot be opened: it is not used", {
        host: record.id,
      });
      return "unreadable";
    }
  }

  #close(host: Host): void {
    const { fleet, log } = this.#engine;
    this.#opened.delete(host.name);
    fleet.awayHosts.delete(host.name);
    this.#removed(host);
    const closing = host.provider.close().then(() => host.close());
    closing.catch((error: unknown) => {
      log.error("a deleted host could not be closed", { host: host.name, error: String(error) });
    });
  }
}
