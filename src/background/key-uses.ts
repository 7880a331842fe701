import type { Engine } from "../engine/engine.ts";
import { writeKeyUses } from "../engine/records/key-uses.ts";
import type { Duty } from "./duty.ts";

/** Milliseconds between two looks at which keys were used. */
const LOOK_INTERVAL = 10_000;

/** Writes down when keys were last used: not with each request. */
export function keyUsesDuty(engine: Engine): Duty {
  return { name: "key uses", every: LOOK_INTERVAL, run: () => writeKeyUses(engine) };
}
