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

export interface ConnectionGuard {
  /** To be called several times a second, with a time that never goes back, ms. */
  look(now: number): void;
}

/** A connection has so long to show a key before it may be closed; longer if it has sent a request, ms. */
const TIME_FOR_A_KEY = 250;
const TIME_FOR_A_REQUEST = 1_000;

/** A connection whose last request had a key counts as one with a key for so long, ms. */
const KEY_HOLDS = 255_000;

/** While nothing is above a limit the connections are counted this often, ms. */
const COUNT_EVERY = 1_000;

/** The server is within its limits again if it was not above one for so long, ms. */
const QUIET_TIME = 3_000;

/**
 * Keeps connections without a key from using up the file descriptors. While the server is above a limit, it
 * closes connections that have shown no key. It closes none with a key: neither while a request is answered,
 * nor between two requests.
 */
export function connectionGuard(options: ConnectionGuardOptions): ConnectionGuard {
  const { sockets, callers, port, log } = options;
  /** Descriptors that connections must leave to the database, payload files, workers and webhooks. */
  const mark = sockets.limit - Math.min(1_024, Math.max(32, Math.floor(sockets.limit / 4)));
  const most = options.limits.connections === 0 ? mark : Math.min(mark, options.limits.connections);
  const perNetwork = options.limits.keylessConnections || Math.ceil(most / 2);
  /** When each connection was seen first, by descriptor and connection. */
  let seen = new Map<string, number>();
  let countAt = 0;
  /** Since when the server is above a limit; undefined if it is not. */
  let overSince: number | undefined;
  let overUntil = 0;
  let closed = 0;

  /** The connections without a key that have had their time, and all there are. */
  function count(time: number): { keyless: Keyless[]; all: number } {
    const peers = sockets.peers(port);
    const calling = callers.calling();
    const before = seen;
    seen = new Map();
    const keyless = peers.flatMap((peer) => {
      const name = nameOf(peer);
      const since = before.get(idOf(peer)) ?? time;
      seen.set(idOf(peer), since);
      const isCalling = calling.has(name);
      if (calling.get(name) === true || (callers.keyedAt(name) ?? -Infinity) > time - KEY_HOLDS) return [];
      const grace = isCalling ? TIME_FOR_A_REQUEST : TIME_FOR_A_KEY;
      if (since > time - grace) return [];
      return [{ descriptor: peer.descriptor, network: networkOf(peer.address), since }];
    });
    callers.keepOnly(new Set(peers.map(nameOf)));
    return { keyless, all: peers.length };
  }

  function tell(time: number, chosen: number, excess: number, all: number): void {
    const isOver = chosen > 0 || excess > 0;
    if (isOver && overSince === undefined) {
      const message = "too many connections: those that have shown no key are closed";
      const what = { connections: all, limit: most, limitPerAddress: perNetwork, openFiles: sockets.limit };
      log.warn(message, what);
      overSince = time;
    }
    closed += chosen;
    if (isOver) overUntil = time;
    if (overSince === undefined || time < overUntil + QUIET_TIME) return;
    log.info("connections are within their limits again", { closed, took: Math.round(time - overSince) });
    overSince = undefined;
    closed = 0;
  }

  return {
    look(now) {
      const used = sockets.lowestFree();
      // Long before a limit, so that those with a key are known by then.
      callers.watch(now, used > Math.min(most, perNetwork) / 4);
      const isTight = used > mark;
      const mayExceed = used > Math.min(most, perNetwork) && now >= countAt;
      if (!isTight && !mayExceed && overSince === undefined) return;
      countAt = now + COUNT_EVERY;
      const { keyless, all } = count(now);
      const excess = Math.max(all - most, isTight ? used - mark : 0);
      const chosen = chooseConnections(keyless, { excess, perNetwork });
      for (const { descriptor } of chosen) sockets.close(descriptor);
      tell(now, chosen.length, excess, all);
    },
  };
}

/** As `Callers` names the connection. */
function nameOf({ address, port }: Peer): string {
  return `${address} ${port}`;
}

function idOf(peer: Peer): string {
  return `${peer.descriptor} ${nameOf(peer)}`;
}
