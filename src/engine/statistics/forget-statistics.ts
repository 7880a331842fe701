import { firstSlot, SLOT_WIDTHS } from "../../domain/statistics.ts";
import type { StoreAccess, WithStop } from "../verb-needs.ts";
import { paced } from "../paced.ts";

/** Removes the slots that no period reaches any more. */
export async function forgetStatistics(engine: StoreAccess & WithStop): Promise<void> {
  for (const { width, keptFor } of SLOT_WIDTHS) {
    if (engine.isStopping) return;
    await paced(engine, async (limit) => {
      const now = engine.clock.now();
      const before = firstSlot(now, keptFor, width);
      const [answer] = await engine.store.apply([{ step: "forgetStatistics", width, before, limit }], now);
      return answer.count === limit;
    });
  }
}
