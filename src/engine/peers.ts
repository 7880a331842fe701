import { hostname } from "node:os";
import type { Clock } from "../domain/clock.ts";
import { RATE_WINDOW } from "../domain/rate-limits.ts";
import type { SharedData } from "../store/store.ts";
import type { FleetWord, FleetWords } from "./fleet-word.ts";

/** The other servers that share the data, as far as this one knows (decision 0017). */
export interface Peers {
  /**
   * How many count requests beside this one; 0 when it is alone. Undefined while that is not known: just
   * after the start, and when the database has not answered for a while.
   */
  others(): number | undefined;
  /** Whether that server is known to live no longer. */
  isGone(server: string): boolean;
  /** Whether the database has answered of late. */
  isReachable(): boolean;
  /** What the others tell of the workers of an endpoint that they start. */
  fleetOf(endpoint: string): readonly FleetWord[];
  /** Whether all that live seal by the key with this SHA-256, as far as this server has heard. */
  sealBy(digest: string): boolean;
  /** The machines of the others that live, as they call themselves, by server. */
  machines(): ReadonlyMap<string, string>;
  /** Tells that this server lives, and hears of the others. */
  meet(): Promise<void>;
  /** The same at the start: resolves when each of them counts on this one. */
  join(): Promise<void>;
  /** Tells that this server is about to end. */
  leave(): Promise<void>;
  /** Called when there are more servers than before, and awaited before they are told that it is done. */
  onMore(listener: () => Promise<void>): void;
}

export interface PeersOptions {
  readonly shared: SharedData;
  readonly server: string;
  readonly clock: Clock;
  readonly fleet: () => FleetWords;
  /** SHA-256 of the key that this server seals by. */
  readonly sealsBy: () => string;
}

/** What a server says to the others. */
interface Word {
  /** It lets in no more than what others allow for. */
  readonly isSharing: boolean;
  readonly fleet: FleetWords;
  /** Not said by a server of a version before. */
  readonly sealsBy?: string;
  /** The name of its machine. Not said by a server of a version before. */
  readonly machine?: string;
}

interface Peer {
  readonly word: Word;
  readonly until: number;
}

/** How long a server lives without a sign of life, ms. */
const LIFE = 3_000;

/** What it heard is worth nothing after so long, ms: earlier than the others take it for dead. */
const KNOWN_FOR = 2_000;

/** Between two looks while it joins, ms. */
const JOIN_PAUSE = 50;

export function openPeers({ shared, server, clock, fleet, sealsBy }: PeersOptions): Peers {
  let known = new Map<string, Peer>();
  let heardAt = Number.NEGATIVE_INFINITY;
  let joinedAt = Number.POSITIVE_INFINITY;
  let counted = 0;
  let isMore = false;
  let listener = async (): Promise<void> => undefined;
  /** It says that it is alone; it is when nobody was there after that. */
  let saysAlone = false;
  let isAlone = false;

  /** The others must have heard what is said here before this one hears them: so it is said first. */
  async function exchange(): Promise<void> {
    const now = clock.now();
    const word: Word = { isSharing: !saysAlone, fleet: fleet(), sealsBy: sealsBy(), machine: hostname() };
    await shared.tell(server, JSON.stringify(word), now + LIFE);
    const told = await shared.told();
    known = new Map(
      told.flatMap(({ server: name, word: text, until }) =>
        // Only servers write it.
        name === server ? [] : [[name, { word: JSON.parse(text), until }]],
      ),
    );
    heardAt = now;
  }

  /** Those too whose requests still count. */
  function present(): number {
    const after = clock.now() - RATE_WINDOW;
    return [...known.values()].filter(({ until }) => until > after).length;
  }

  async function meet(): Promise<void> {
    await exchange();
    const before = counted;
    counted = present();
    isAlone = saysAlone && counted === 0;
    isMore ||= counted > before;
    if (isMore) await listener();
    isMore = false;
    const mustShare = saysAlone && counted > 0;
    saysAlone = counted === 0;
    if (mustShare) await exchange();
  }

  return {
    others() {
      const now = clock.now();
      if (now > heardAt + KNOWN_FOR) return undefined;
      if (isAlone) return 0;
      // Until then others may count with one server less.
      return now > joinedAt + KNOWN_FOR && counted > 0 ? counted : undefined;
    },

    isGone: (name) => (known.get(name)?.until ?? Number.POSITIVE_INFINITY) <= clock.now(),
    isReachable: () => clock.now() <= heardAt + LIFE,

    fleetOf(endpoint) {
      const now = clock.now();
      const words = [...known.values()].filter(({ until }) => until > now);
      return words.map(({ word }) => word.fleet[endpoint]).filter((word) => word !== undefined);
    },

    sealBy(digest) {
      const now = clock.now();
      return [...known.values()].every(({ word, until }) => until <= now || word.sealsBy === digest);
    },

    machines() {
      const now = clock.now();
      const alive = [...known].filter(([, { until }]) => until > now);
      return new Map(alive.map(([name, { word }]) => [name, word.machine ?? "another machine"]));
    },

    meet,

    async join() {
      await meet();
      const mayBeAlone = (): boolean =>
        [...known.values()].some(({ word, until }) => !word.isSharing && until > clock.now());
      while (mayBeAlone()) {
        await new Promise<void>((resolve) => void clock.after(JOIN_PAUSE, resolve));
        await meet();
      }
      // The first word was that it shares; alone it is only once it has said so.
      if (counted === 0) await meet();
      joinedAt = clock.now();
    },

    async leave() {
      const word: Word = { isSharing: true, fleet: {} };
      await shared.tell(server, JSON.stringify(word), clock.now());
    },

    onMore(added) {
      listener = added;
    },
  };
}

export interface WithPeers {
  /** Undefined when no other server works on the same data. */
  readonly peers: Peers | undefined;
}
