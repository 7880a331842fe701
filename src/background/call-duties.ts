import type { Engine } from "../engine/engine.ts";
import { forgetCalls } from "../engine/sweep.ts";
import type { Duty } from "./duty.ts";
import { offerDuty } from "./offer.ts";

const FORGET_INTERVAL = 10_000;

/** What each server does for the calls of workers that it has, or has had. */
export function callDuties(engine: Engine): Duty[] {
  return [
    offerDuty(engine),
    { name: "forget calls", every: FORGET_INTERVAL, run: async () => forgetCalls(engine) },
  ];
}
