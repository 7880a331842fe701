import type { Clock } from "../domain/clock.ts";
import type { WithStop } from "./verb-needs.ts";

/** The pause between two slices, ms: other commits run then. */
const PAUSE = 20;

/** Rows of a slice. */
const FEWEST = 50;
const MOST = 1_000;

/** Rows for each ms at the beginning, and the increase for each second in which rows are left. */
const PACE = 4;
const RISE = 1;

/** At this pace it takes about a tenth of one core, which jobs hardly notice. */
const CALM_PACE = 12;

/** After this time, ms, more rows are due than that pace can remove. Then space matters more than load. */
const PATIENCE = 300_000;
const HURRIED_PACE = 48;

/**
 * Removes rows in many small slices with pauses between them, so that no job waits for a large one. While
 * rows are left, the pace rises, so that removal keeps up. `slice` removes at most `limit` rows and answers
 * whether there are more. Ends early if the server stops.
 */
export async function paced(
  engine: WithStop & { readonly clock: Clock },
  slice: (limit: number) => Promise<boolean>,
): Promise<void> {
  const { clock } = engine;
  const startedAt = clock.now();
  let last = startedAt - PAUSE;
  for (;;) {
    const at = clock.now();
    const limit = Math.round((at - last) * paceAfter(at - startedAt));
    last = at;
    if (!(await slice(Math.min(MOST, Math.max(FEWEST, limit))))) return;
    await pause(clock);
    if (engine.isStopping) return;
  }
}

/** Rows for each ms, after rows have been left for this long, ms. */
export function paceAfter(time: number): number {
  if (time > PATIENCE) return HURRIED_PACE;
  return Math.min(CALM_PACE, PACE + (RISE * time) / 1_000);
}

function pause(clock: Clock): Promise<void> {
  return new Promise((resolve) => void clock.after(PAUSE, resolve));
}

/** Calls to the store that share a commit: few enough that other calls hardly wait for it. */
const TOGETHER = 100;

/** Calls `run` for each item. Items of a slice share a commit. Other calls run between slices. */
export async function inSlices<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += TOGETHER) {
    await Promise.all(items.slice(from, from + TOGETHER).map(run));
  }
}
