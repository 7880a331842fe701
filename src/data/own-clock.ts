import { join, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Store } from "../store/store.ts";
import { steeredClock, systemClock } from "../host/system-clock.ts";
import { timeAtStart } from "../host/time-at-start.ts";

export interface OwnClock {
  readonly clock: Clock;
  readonly steer: (now: number) => void;
}

/** Servers that share data follow the clock of its database. A server alone follows its own clock. */
export async function ownClock(
  config: Config,
  log: Log,
  store: Store,
  given: Clock | undefined,
): Promise<OwnClock> {
  const unsteered = { steer: () => undefined };
  if (given !== undefined) return { clock: given, ...unsteered };
  const notBefore = await store.latestTime();
  if (store.shared === undefined) {
    const file = config.data === IN_MEMORY ? undefined : join(resolve(config.data), "boot-time");
    return { clock: systemClock(await timeAtStart({ file, notBefore, log })), ...unsteered };
  }
  const clock = steeredClock(Math.max(notBefore, await store.shared.time()));
  // After a long stop, new rows must not get the time of the last step before it.
  await store.apply([], clock.now());
  return { clock, steer: clock.steer };
}
