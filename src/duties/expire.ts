import type { Engine } from "../engine/engine.ts";
import { forgetExpired, sweepDeadlines, sweepSilentWorkers } from "../engine/sweep.ts";
import { offerWaiting } from "../engine/wake.ts";
import type { Duty } from "./duty.ts";

/** Signals can be lost; after this many milliseconds a waiting job is found without one. */
const OFFER_INTERVAL = 1_000;

/** Everything that happens to a job because time has passed. */
export function expireDuties(engine: Engine): Duty[] {
  const every = engine.durations.sweepInterval;
  return [
    { name: "deadlines", every, run: (leasesHold) => sweepDeadlines(engine, leasesHold) },
    {
      name: "silent workers",
      every,
      run: async (leasesHold) => (leasesHold ? undefined : sweepSilentWorkers(engine)),
    },
    { name: "forget", every, run: () => forgetExpired(engine) },
    { name: "offer", every: OFFER_INTERVAL, run: () => offerWaiting(engine) },
  ];
}
