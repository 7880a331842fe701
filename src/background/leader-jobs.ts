import type { Engine } from "../engine/engine.ts";
import { forgetDeliveries, forgetExpired, sweepDeadlines, sweepSilentWorkers } from "../engine/sweep.ts";
import type { Duty } from "./duty.ts";

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
    { name: "forget webhooks", every, run: () => forgetDeliveries(engine) },
  ];
}
