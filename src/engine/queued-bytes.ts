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

/** What waits in one place, an endpoint or an account, bytes. */
interface Place {
  /** At the last look. */
  counted: number;
  /** Stored before the look that is under way began. */
  before: number;
  /** Stored since the last look began. */
  since: number;
  /** Being stored. */
  storing: number;
}

export function queuedBytes({ store, clock, configuration, limits }: QueuedBytesParts): QueuedBytes {
  const endpoints = new Map<string, Place>();
  const accounts = new Map<string, Place>();
  let hasStored = false;
  let lookedAt = -Infinity;

  const accountOf = (endpoint: string): Place =>
    placeIn(accounts, configuration.get("endpoint", endpoint)?.account ?? "");

  function each(change: (place: Place) => void): void {
    for (const places of [endpoints, accounts]) for (const place of places.values()) change(place);
  }

  return {
    over(endpoint, size) {
      if (sumOf(placeIn(endpoints, endpoint)) + size > limits.endpointQueuedBytes) return "ceiling";
      return sumOf(accountOf(endpoint)) + size > limits.queuedBytes ? "account" : undefined;
    },

    storing(endpoint, size) {
      const own = placeIn(endpoints, endpoint);
      const account = accountOf(endpoint);
      own.storing += size;
      account.storing += size;
      return (isStored) => {
        own.storing -= size;
        account.storing -= size;
        if (!isStored) return;
        own.since += size;
        account.since += size;
        hasStored = true;
      };
    },

    of: (account) => sumOf(placeIn(accounts, account)),

    async look() {
      if (!hasStored && clock.now() < lookedAt + LOOK_EVERY) return;
      hasStored = false;
      each((place) => {
        place.before += place.since;
        place.since = 0;
      });
      const counts = await store.allCounts();
      each((place) => {
        place.counted = 0;
        place.before = 0;
      });
      for (const [endpoint, { queuedBytes: size }] of counts) {
        placeIn(endpoints, endpoint).counted += size;
        accountOf(endpoint).counted += size;
      }
      for (const places of [endpoints, accounts]) {
        for (const [name, place] of places) if (sumOf(place) === 0) places.delete(name);
      }
      lookedAt = clock.now();
    },
  };
}

function placeIn(places: Map<string, Place>, name: string): Place {
  let place = places.get(name);
  if (place === undefined) {
    place = { counted: 0, before: 0, since: 0, storing: 0 };
    places.set(name, place);
  }
  return place;
}

function sumOf({ counted, before, since, storing }: Place): number {
  return counted + before + since + storing;
}
