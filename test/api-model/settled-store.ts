import type { Soon } from "../../src/domain/soon.ts";
import type { Store } from "../../src/store/store.ts";

export interface SettledStore {
  readonly store: Store;
  /** Resolves when no call of the store is under way and none follows from those that were. */
  settled(): Promise<void>;
}

/** Turns of the event loop without a call of the store, after which nothing follows any more. */
const QUIET_TURNS = 3;

/** Watches the calls of a store, so that a test can wait for all that its last request has set going. */
export function settledStore(watched: Store): SettledStore {
  let underWay = 0;

  function watch<Arguments extends unknown[], Answer>(
    call: (...given: Arguments) => Soon<Answer>,
  ): (...given: Arguments) => Promise<Answer> {
    return async (...given) => {
      underWay++;
      try {
        return await call(...given);
      } finally {
        underWay--;
      }
    };
  }

  const {
    job,
    counts,
    queues,
    waitingSince,
    due,
    silent,
    held,
    workers,
    readPayload,
    writePayload,
    discardPayload,
  } = watched;
  const { shared } = watched;
  const store: Store = {
    ...watched,
    // One signature for each list of steps: the watch passes any through.
    apply: (steps, now) => watch(() => watched.apply(steps, now))(),
    // Where servers hold limits together each request asks for them.
    shared: shared && {
      ...shared,
      rate: watch(shared.rate),
      putRate: watch(shared.putRate),
      stopping: watch(shared.stopping),
    },
    job: watch(job),
    counts: watch(counts),
    queues: watch(queues),
    waitingSince: watch(waitingSince),
    due: watch(due),
    silent: watch(silent),
    held: watch(held),
    workers: watch(workers),
    readPayload: watch(readPayload),
    writePayload: watch(writePayload),
    discardPayload: watch(discardPayload),
  };

  return {
    store,
    async settled() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet = underWay === 0 ? quiet + 1 : 0)
        await new Promise(setImmediate);
    },
  };
}
