import type { Engine } from "../engine/engine.ts";
import type { BackgroundJob } from "./run-background-jobs.ts";

/** How long a silent leader stays the leader, ms. Then another server takes over. */
const HOLD = 3_000;

/** How often a server that is not the leader tries to become it, ms. */
const ASK_AGAIN = 1_000;

/** The leader renews its hold when less than this is left, ms. */
const RENEW = 2_000;

/** The name of the hold in the database. */
const HOLD_NAME = "duties";

export interface Leadership {
  /** The jobs of the leader: on other servers a run does nothing. */
  readonly jobs: BackgroundJob[];
  /** Whether this server is the leader, as far as it knows. */
  isLeader(): boolean;
  /** Gives the leadership up, so that another server need not wait for it. */
  resign(): Promise<void>;
}

/**
 * One server of those that share data is the leader: it runs `jobs` for all. The log says which server that
 * is. A server alone is always the leader. `onNotLeader` is called again and again on the other servers.
 */
export function leadership(
  engine: Pick<Engine, "server" | "store" | "clock" | "log">,
  jobs: readonly BackgroundJob[],
  onNotLeader: () => void,
): Leadership {
  const { shared } = engine.store;
  if (shared === undefined) return { jobs: [...jobs], isLeader: () => true, resign: async () => undefined };
  const names = jobs.map(({ name }) => name).join(", ");
  let wasLeader = false;
  let heldUntil = 0;
  let askAgainAt = 0;
  let asking: Promise<boolean> | undefined;

  async function ask(until: number): Promise<boolean> {
    const isOurs = (await shared?.hold(HOLD_NAME, engine.server, engine.clock.now(), until)) ?? false;
    heldUntil = isOurs ? until : 0;
    if (isOurs !== wasLeader) {
      const message = isOurs ? "this server is the leader now" : "another server is the leader now";
      engine.log.info(message, { duties: names });
    }
    wasLeader = isOurs;
    if (!isOurs) {
      askAgainAt = engine.clock.now() + ASK_AGAIN;
      onNotLeader();
    }
    return isOurs;
  }

  async function hold(): Promise<boolean> {
    const now = engine.clock.now();
    if (now < askAgainAt) return false;
    if (heldUntil - now > RENEW) return true;
    asking ??= ask(now + HOLD).finally(() => {
      asking = undefined;
    });
    return asking;
  }

  return {
    jobs: jobs.map((job) => ({
      ...job,
      async run(leasesHold) {
        if (await hold()) await job.run(leasesHold);
      },
    })),
    isLeader: () => heldUntil > engine.clock.now(),

    async resign() {
      const now = engine.clock.now();
      if (heldUntil > now) await ask(now);
    },
  };
}
