import type { Statistics, StatisticsPoint } from "../../answers.ts";

/** All slots of a period, in order. */
export interface Slots {
  /** The beginning of each slot, seconds since 1970. */
  readonly times: readonly number[];
  readonly points: readonly StatisticsPoint[];
  /** ms. */
  readonly step: number;
}

/** What was pushed: the newest statistics, and every slot that has arrived since. */
export type Pushed = Omit<Statistics, "points" | "step"> & { readonly points: readonly StatisticsPoint[] };

/** What was read, merged with what was pushed since. */
export function slotsOf(read: Statistics | undefined, pushed: Pushed | undefined): Slots {
  if (read === undefined) return { times: [], points: [], step: 1 };
  const { step } = read;
  const known = new Map(read.points.map((point) => [Date.parse(point.at), point]));
  for (const point of pushed?.points ?? []) known.set(Date.parse(point.at), point);
  const from = Date.parse((pushed ?? read).from);
  const to = Date.parse((pushed ?? read).to);
  const times: number[] = [];
  const points: StatisticsPoint[] = [];
  // In a slot without events, the queue is as it was before.
  let before = depthBefore(read, from);
  for (let at = from; at <= to; at += step) {
    const point = known.get(at) ?? { ...NOTHING, ...before, at: new Date(at).toISOString() };
    before = { inQueue: point.inQueue, inProgress: point.inProgress };
    times.push(at / 1_000);
    points.push(point);
  }
  return { times, points, step };
}

function depthBefore(
  { points, now }: Statistics,
  from: number,
): Pick<StatisticsPoint, "inQueue" | "inProgress"> {
  // Without any events, the queue was always as it is now.
  if (points.length === 0) return { inQueue: now.inQueue, inProgress: now.inProgress };
  const last = points.findLast(({ at }) => Date.parse(at) <= from);
  return { inQueue: last?.inQueue ?? 0, inProgress: last?.inProgress ?? 0 };
}

const NOTHING = {
  submitted: 0,
  taken: 0,
  completed: 0,
  failed: 0,
  timedOut: 0,
  cancelled: 0,
  retried: 0,
  lost: 0,
  delay: { count: 0 },
  execution: { count: 0 },
};
