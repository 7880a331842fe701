import type { Engine } from "../engine/engine.ts";
import { forgetStatistics } from "../engine/statistics/forget-statistics.ts";
import type { Duty } from "./duty.ts";

/** Between two looks whether it is time to write, ms. */
const LOOK_INTERVAL = 1_000;

/** Between two looks for slots that are too old, ms. */
const FORGET_INTERVAL = 10_000;

/** Each server keeps what it has counted itself. */
export function statisticsDuty({ statistics }: Engine): Duty {
  return { name: "statistics", every: LOOK_INTERVAL, run: () => statistics.flushInTime() };
}

/** What is older than can be asked for goes, whoever has counted it. */
export function forgetStatisticsDuty(engine: Engine): Duty {
  return { name: "forget statistics", every: FORGET_INTERVAL, run: () => forgetStatistics(engine) };
}
