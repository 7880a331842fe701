import { firstSlot, SLOT_WIDTHS } from "../../domain/statistics.ts";
import type { Engine } from "../engine.ts";

/** Rows removed with one step: more would keep the steps of others waiting. */
const SLICE = 1_000;

/** Removes the slots that no period reaches any more. */
export async function forgetStatistics(engine: Engine): Promise<void> {
  for (const { width, keptFor } of SLOT_WIDTHS) {
    for (;;) {
      const now = engine.clock.now();
      const before = firstSlot(now, keptFor, width);
      const step = { step: "forgetStatistics", width, before, limit: SLICE } as const;
      const [answer] = await engine.store.apply([step], now);
      if (engine.isStopping) return;
      if (answer.count < SLICE) break;
    }
  }
}
