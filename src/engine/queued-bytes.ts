import type { AccountLimits } from "../domain/account-limits.ts";
import type { Clock } from "../domain/clock.ts";
import type { Store } from "../store/store.ts";
import type { Configuration } from "./records/configuration.ts";

/**
 * How many bytes wait on each endpoint and in each account, as far as this server knows: what the counters
 * said at the last look, and all that it has stored since. It can say too much for a second, because the next
 * look sees which jobs have left the queue. It says too little only by what other servers have stored since.
 */
export interface QueuedBytes {
  /** Which limit a job of `size` bytes would be over. */
  over(endpoint: string, size: number): "ceiling" | "account" | undefined;
  /** Counts a job while it is being stored; to be called back with whether it was. */
  storing(endpoint: string, size: number): (isStored: boolean) => void;
  of(account: string): number;
  /** Looks at the counters, where something can have changed; to be called each second. */
  look(): Promise<void>;
}

/** What others have stored is seen after this time, also when this server has stored nothing, ms. */
const LOOK_EVERY = 5_000;

export interface QueuedBytesParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly configuration: Configuration;
  readonly limits: AccountLimits;
}

export function queuedBytes({ store, clock, configuration, limits }: QueuedBytesParts): QueuedBytes {
  let counted = new Map<string, number>();
  /** Stored before the look that is under way began, and since the last one. */
  let before = new Map<string, number>();
  let since = new Map<string, number>();
  const storing = new Map<string, number>();
  let lookedAt = -Infinity;

  const accountOf = (endpoint: string): string =>
    placeOf(configuration.get("endpoint", endpoint)?.account ?? "");

  function at(place: string): number {
    return [counted, before, since, storing].reduce((sum, map) => sum + (map.get(place) ?? 0), 0);
  }

  function addBoth(map: Map<string, number>, endpoint: string, size: number): void {
    for (const place of [endpoint, accountOf(endpoint)]) add(map, place, size);
  }

  return {
    over(endpoint, size) {
      if (at(endpoint) + size > limits.endpointQueuedBytes) return "ceiling";
      return at(accountOf(endpoint)) + size > limits.queuedBytes ? "account" : undefined;
    },

    storing(endpoint, size) {
      addBoth(storing, endpoint, size);
      return (isStored) => {
        addBoth(storing, endpoint, -size);
        if (isStored) addBoth(since, endpoint, size);
      };
    },

    of: (account) => at(placeOf(account)),

    async look() {
      if (since.size === 0 && clock.now() < lookedAt + LOOK_EVERY) return;
      const earlier = since;
      for (const [place, size] of earlier) add(before, place, size);
      since = new Map();
      const counts = await store.allCounts();
      const found = new Map<string, number>();
      for (const [endpoint, count] of counts) addBoth(found, endpoint, count.queuedBytes);
      counted = found;
      before = new Map();
      lookedAt = clock.now();
    },
  };
}

/** No id of an endpoint has a slash. */
function placeOf(account: string): string {
  return `account/${account}`;
}

function add(map: Map<string, number>, place: string, size: number): void {
  const sum = (map.get(place) ?? 0) + size;
  if (sum === 0) map.delete(place);
  else map.set(place, sum);
}
