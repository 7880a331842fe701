import type { ReleasePause } from "../domain/release.ts";

/** So many workers of a release and of the earlier version. */
export type WorkerSplit = Pick<ReleasePause, "own" | "earlier">;

/**
 * How many workers of each version a paused release has where `target` are wanted (decision 0023). As many as
 * at the pause are the same ones, the places beyond `workersMax` that it had taken included. What is wanted
 * beyond that is of the earlier version. Where fewer are, each has its part of them, and one at least is of
 * the earlier version, or all jobs of an endpoint that rests would go to the new one.
 */
export function pausedSplit(paused: WorkerSplit, target: number, surge: number): WorkerSplit {
  const total = paused.own + paused.earlier;
  if (target === 0 || paused.own === 0) return { own: 0, earlier: target };
  const all = Math.max(target, Math.min(target + surge, total));
  const part = Math.ceil((all * paused.own) / total);
  const own = Math.min(paused.own, part, paused.earlier > 0 ? all - 1 : all);
  return { own, earlier: all - own };
}
