import { hostname } from "node:os";
import type { Clock } from "../domain/clock.ts";
import { RATE_WINDOW } from "../domain/rate-limits.ts";
import type { SharedData } from "../store/store.ts";
import type { FleetWord, FleetWords } from "./fleet-word.ts";

/** The other servers that share the data, as far as this server knows (decision 0017). */
export interface Peers {
  /**
   * How many other servers count requests; 0 if this one is alone. Undefined while that is not known: just
   * after the start, and if the database has not answered for a while.
   */
  others(): number | undefined;
  /** Whether that server is known to be dead. */
  isGone(server: string): boolean;
  /** Whether the database has answered a moment ago. */
  isReachable(): boolean;
  /** What the others say about the workers that they start for an endpoint. */
  fleetOf(endpoint: string): readonly FleetWord[];
  /** Whether all living servers encrypt with the key with this SHA-256, as far as this server knows. */
  sealBy(digest: string): boolean;
  /** The names of the machines of the other living servers, by server. */
  machines(): ReadonlyMap<string, string>;
  /** Says that this server lives, and reads what the others say. */
  meet(): Promise<void>;
  /** The same at the start: resolves when each of them considers this one. */
  join(): Promise<void>;
  /** Says that this server is about to end. */
  leave(): Promise<void>;
  /** Sets what to call if there are more servers than before. Awaited before the others are notified. */
  onMore(listener: () => Promise<void>): void;
}

export interface PeersOptions {
  readonly shared: SharedData;
  readonly server: string;
  readonly clock: Clock;
  readonly fleet: () => FleetWords;
  /** SHA-256 of the key with which this server encrypts. */
  readonly sealsBy: () => string;
}

/** What a server says to the others. */
interface Word {
  /** It lets in no more requests than the others expect. */
  readonly isSharing: boolean;
  readonly fleet: FleetWords;
  /** Older versions do not say it. */
  readonly sealsBy?: string;
  /** The name of its machine. Older versions do not say it. */
  readonly machine?: string;
}

interface Peer {
  readonly word: Word;
  readonly until: number;
}

/** A server that has been silent for this long is dead, ms. */
const LIFE = 3_000;

/** What a server has read is valid for this long, ms: it ends before the others consider the server dead. */
const KNOWN_FOR = 2_000;

/** How often a server that joins reads what the others say, ms. */
const JOIN_PAUSE = 50;

export function openPeers(options: PeersOptions): Peers {
  return new SharedPeers(options);
}

class SharedPeers implements Peers {
  readonly #options: PeersOptions;
  /** The other servers, as of the last exchange. */
  #known = new Map<string, Peer>();
  #heardAt = Number.NEGATIVE_INFINITY;
  #joinedAt = Number.POSITIVE_INFINITY;
  #counted = 0;
  #isMore = false;
  #listener = async (): Promise<void> => undefined;
  /** This server says that it is alone. It is alone if no other server is there after that. */
  #saysAlone = false;
  #isAlone = false;

  constructor(options: PeersOptions) {
    this.#options = options;
  }

  others(): number | undefined {
    const now = this.#options.clock.now();
    if (now > this.#heardAt + KNOWN_FOR) return undefined;
    if (this.#isAlone) return 0;
    // Until then others may count with one server less.
    return now > this.#joinedAt + KNOWN_FOR && this.#counted > 0 ? this.#counted : undefined;
  }

  isGone(server: string): boolean {
    return (this.#known.get(server)?.until ?? Number.POSITIVE_INFINITY) <= this.#options.clock.now();
  }

  isReachable(): boolean {
    return this.#options.clock.now() <= this.#heardAt + LIFE;
  }

  fleetOf(endpoint: string): readonly FleetWord[] {
    return this.#alive()
      .map(([, { word }]) => word.fleet[endpoint])
      .filter((word) => word !== undefined);
  }

  sealBy(digest: string): boolean {
    return this.#alive().every(([, { word }]) => word.sealsBy === digest);
  }

  machines(): ReadonlyMap<string, string> {
    return new Map(this.#alive().map(([name, { word }]) => [name, word.machine ?? "another machine"]));
  }

  async meet(): Promise<void> {
    await this.#exchange();
    const before = this.#counted;
    this.#counted = this.#present();
    this.#isAlone = this.#saysAlone && this.#counted === 0;
    this.#isMore ||= this.#counted > before;
    if (this.#isMore) await this.#listener();
    this.#isMore = false;
    const mustShare = this.#saysAlone && this.#counted > 0;
    this.#saysAlone = this.#counted === 0;
    if (mustShare) await this.#exchange();
  }

  async join(): Promise<void> {
    const { clock } = this.#options;
    await this.meet();
    while (this.#alive().some(([, { word }]) => !word.isSharing)) {
      await new Promise<void>((resolve) => void clock.after(JOIN_PAUSE, resolve));
      await this.meet();
    }
    // The first word of this server said that it shares its limits. It is alone only once it has said so.
    if (this.#counted === 0) await this.meet();
    this.#joinedAt = clock.now();
  }

  async leave(): Promise<void> {
    const { shared, server, clock } = this.#options;
    const word: Word = { isSharing: true, fleet: {} };
    await shared.announce(server, JSON.stringify(word), clock.now());
  }

  onMore(listener: () => Promise<void>): void {
    this.#listener = listener;
  }

  /** Writes before it reads: the others must have the word of this server before it has theirs. */
  async #exchange(): Promise<void> {
    const { shared, server, clock, fleet, sealsBy } = this.#options;
    const now = clock.now();
    const isSharing = !this.#saysAlone;
    const word: Word = { isSharing, fleet: fleet(), sealsBy: sealsBy(), machine: hostname() };
    await shared.announce(server, JSON.stringify(word), now + LIFE);
    const announced = await shared.announcements();
    this.#known = new Map(
      announced.flatMap(({ server: name, word: text, until }) =>
        // Only servers write it.
        name === server ? [] : [[name, { word: JSON.parse(text), until }]],
      ),
    );
    this.#heardAt = now;
  }

  /** How many other servers count requests, or did so a moment ago. */
  #present(): number {
    const after = this.#options.clock.now() - RATE_WINDOW;
    return [...this.#known.values()].filter(({ until }) => until > after).length;
  }

  #alive(): (readonly [server: string, peer: Peer])[] {
    const now = this.#options.clock.now();
    return [...this.#known].filter(([, { until }]) => until > now);
  }
}

export interface WithPeers {
  /** Undefined if no other server can work on the same data. */
  readonly peers: Peers | undefined;
}
