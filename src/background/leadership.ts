import type { Engine } from "../engine/engine.ts";
import type { Duty } from "./duty.ts";

/** How long a server keeps the duties without a sign of life: then another one takes them over. ms. */
const HOLD = 3_000;

/** How soon a server that has not got them asks again, ms. */
const ASK_AGAIN = 1_000;

/** It says that it lives when less than this is left, ms. */
const RENEW = 2_000;

export interface SharedDuties {
  readonly duties: Duty[];
  /** Whether this server does them, as far as it knows. */
  isHeld(): boolean;
  /** Lets go of them, so that another server need not wait. */
  letGo(): Promise<void>;
}

/**
 * The duties that one server does for all that share its data; the log says which these are, and when this
 * server has them. A server on its own does them always. `onLost` is called, again and again, while another
 * server has them.
 */
export function oneServerAlone(
  engine: Pick<Engine, "server" | "store" | "clock" | "log">,
  duties: readonly Duty[],
  onLost: () => void,
): SharedDuties {
  const { shared } = engine.store;
  if (shared === undefined) return { duties: [...duties], isHeld: () => true, letGo: async () => undefined };
  const names = duties.map(({ name }) => name).join(", ");
  let hadThem = false;
  let heldUntil = 0;
  let askAgainAt = 0;
  let asking: Promise<boolean> | undefined;

  async function ask(until: number): Promise<boolean> {
    const isOurs = (await shared?.hold("duties", engine.server, engine.clock.now(), until)) ?? false;
    heldUntil = isOurs ? until : 0;
    if (isOurs !== hadThem) {
      const message = isOurs ? "this server is the leader now" : "another server is the leader now";
      engine.log.info(message, { duties: names });
    }
    hadThem = isOurs;
    if (!isOurs) {
      askAgainAt = engine.clock.now() + ASK_AGAIN;
      onLost();
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
    duties: duties.map((duty) => ({
      ...duty,
      async run(leasesHold) {
        if (await hold()) await duty.run(leasesHold);
      },
    })),
    isHeld: () => heldUntil > engine.clock.now(),

    async letGo() {
      const now = engine.clock.now();
      if (heldUntil > now) await ask(now);
    },
  };
}
