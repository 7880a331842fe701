import type { Log } from "../../domain/log.ts";
import type { Callers } from "./callers.ts";
import { chooseConnections, type Keyless, networkOf } from "./choose-connections.ts";
import type { Peer, Sockets } from "./sockets.ts";

export interface ConnectionLimits {
  /** Connections of the server; 0: what the file descriptors allow. */
  readonly connections: number;
  /** Connections without a key from one network; 0: half of those of the server. */
  readonly keylessConnections: number;
}

export interface ConnectionGuardOptions {
  readonly sockets: Sockets;
  readonly callers: Callers;
  readonly limits: ConnectionLimits;
  /** The port that the server listens on. */
  readonly port: number;
  readonly log: Log;
}

/** A connection has this long to show a key before it may be closed; longer if it has sent a request, ms. */
const TIME_FOR_A_KEY = 250;
const TIME_FOR_A_REQUEST = 1_000;

/** A connection whose last request had a key counts as one with a key for this long, ms. */
const KEY_HOLDS = 255_000;

/** While nothing is above a limit the connections are counted this often, ms. */
const COUNT_EVERY = 1_000;

/** The server is within its limits again if it was not above one for this long, ms. */
const QUIET_TIME = 3_000;

/**
 * Keeps connections without a key from using up the file descriptors. While the server is above a limit, it
 * closes connections that have shown no key. It never closes one with a key, neither during a request nor
 * between two.
 */
export class ConnectionGuard {
  readonly #sockets: Sockets;
  readonly #callers: Callers;
  readonly #port: number;
  readonly #log: Log;
  /** Above this descriptor, too few are left for the database, payload files, workers and webhooks. */
  readonly #mark: number;
  readonly #most: number;
  readonly #perNetwork: number;
  /** When each connection was seen first, by descriptor and connection. */
  #firstSeen = new Map<string, number>();
  #countAt = 0;
  /** Since when the server is above a limit; undefined if it is not. */
  #overSince: number | undefined;
  #overUntil = 0;
  #closed = 0;

  constructor({ sockets, callers, limits, port, log }: ConnectionGuardOptions) {
    this.#sockets = sockets;
    this.#callers = callers;
    this.#port = port;
    this.#log = log;
    this.#mark = sockets.limit - Math.min(1_024, Math.max(32, Math.floor(sockets.limit / 4)));
    this.#most = limits.connections === 0 ? this.#mark : Math.min(this.#mark, limits.connections);
    this.#perNetwork = limits.keylessConnections || Math.ceil(this.#most / 2);
  }

  /** To be called several times a second, with a time that never goes back, ms. */
  look(now: number): void {
    const used = this.#sockets.lowestFree();
    const limit = Math.min(this.#most, this.#perNetwork);
    // Long before a limit, so that connections with a key are known by then.
    this.#callers.watch(now, used > limit / 4);
    const isTight = used > this.#mark;
    const mayExceed = used > limit && now >= this.#countAt;
    if (!isTight && !mayExceed && this.#overSince === undefined) return;
    this.#countAt = now + COUNT_EVERY;
    const { keyless, all } = this.#count(now);
    const excess = Math.max(all - this.#most, isTight ? used - this.#mark : 0);
    const chosen = chooseConnections(keyless, { excess, perNetwork: this.#perNetwork });
    for (const { descriptor } of chosen) this.#sockets.close(descriptor);
    this.#closed += chosen.length;
    this.#note(now, chosen.length > 0 || excess > 0, all);
  }

  /** The connections without a key whose time for one is over, and the number of all connections. */
  #count(now: number): { keyless: Keyless[]; all: number } {
    const peers = this.#sockets.peers(this.#port);
    const calling = this.#callers.calling();
    const before = this.#firstSeen;
    this.#firstSeen = new Map();
    const names = new Set<string>();
    const keyless: Keyless[] = [];
    for (const peer of peers) {
      const name = nameOf(peer);
      names.add(name);
      const id = `${peer.descriptor} ${name}`;
      const since = before.get(id) ?? now;
      this.#firstSeen.set(id, since);
      const keyedAt = this.#callers.keyedAt(name) ?? -Infinity;
      if (calling.get(name) === true || keyedAt > now - KEY_HOLDS) continue;
      const grace = calling.has(name) ? TIME_FOR_A_REQUEST : TIME_FOR_A_KEY;
      if (since > now - grace) continue;
      keyless.push({ descriptor: peer.descriptor, network: networkOf(peer.address), since });
    }
    this.#callers.keepOnly(names);
    return { keyless, all: peers.length };
  }

  /** Logs when the server goes above a limit, and when it is within its limits again. */
  #note(now: number, isOver: boolean, all: number): void {
    if (isOver && this.#overSince === undefined) {
      this.#log.warn("too many connections: those that have shown no key are closed", {
        connections: all,
        limit: this.#most,
        limitPerAddress: this.#perNetwork,
        openFiles: this.#sockets.limit,
      });
      this.#overSince = now;
    }
    if (isOver) this.#overUntil = now;
    if (this.#overSince === undefined || now < this.#overUntil + QUIET_TIME) return;
    const took = Math.round(now - this.#overSince);
    this.#log.info("connections are within their limits again", { closed: this.#closed, took });
    this.#overSince = undefined;
    this.#closed = 0;
  }
}

/** As `Callers` names the connection. */
function nameOf({ address, port }: Peer): string {
  return `${address} ${port}`;
}
