import type { SQL } from "bun";
import { until } from "../../support/until.ts";
import type { HeldStore } from "./two-stores.ts";

/** Where the transaction of the first server stands while the second server begins. */
export type HeldAt =
  /** It has locked and read what it needs, and written nothing. */
  | "beforeWrite"
  /** It has written everything, and is not committed. */
  | "beforeCommit";

export interface Forced<First, Second> {
  readonly first: First;
  readonly second: Second;
  /** The second server had to wait until the first one had committed. */
  readonly hasWaited: boolean;
}

/** The only writes of the phase in which a transaction locks and reads. */
const READING = /UPDATE forebay\.clock|INSERT INTO forebay\.counter \(endpoint, slot\)\s/;
const WRITE = /INSERT INTO|UPDATE forebay|DELETE FROM/;

const STOPS: Readonly<Record<HeldAt, (statement: string) => boolean>> = {
  beforeWrite: (statement) => statement === "COMMIT" || (WRITE.test(statement) && !READING.test(statement)),
  beforeCommit: (statement) => statement === "COMMIT",
};

/**
 * Stops the transaction of one server at a place, and lets another server act meanwhile: until it has its
 * answer, or waits for a lock of the first one.
 */
export async function forceOrder<First, Second>(
  admin: SQL,
  one: Pick<HeldStore, "wire">,
  at: HeldAt | ((statement: string) => boolean),
  act: () => Promise<First>,
  actMeanwhile: () => Promise<Second>,
): Promise<Forced<First, Second>> {
  const hold = one.wire.holdBefore(typeof at === "string" ? STOPS[at] : at);
  const first = act();
  try {
    const holder = await Promise.race([hold.reached, failAfter(first)]);
    let isAnswered = false;
    const second = actMeanwhile().finally(() => {
      isAnswered = true;
    });
    // Its failure is thrown below.
    second.catch(() => undefined);
    let hasWaited = false;
    await until("the second server has its answer, or waits for the first", async () => {
      hasWaited = !isAnswered && (await isWaitedFor(admin, holder));
      return isAnswered || hasWaited;
    });
    hold.release();
    return { first: await first, second: await second, hasWaited };
  } finally {
    hold.release();
    await first.catch(() => undefined);
  }
}

/** Whether another connection waits for a lock of the process. */
export async function isWaitedFor(admin: SQL, process: number): Promise<boolean> {
  const [row] = await admin.unsafe(
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE $1::int = ANY(pg_blocking_pids(pid))) AS it",
    [process],
  );
  return row.it;
}

async function failAfter(answer: Promise<unknown>): Promise<never> {
  await answer;
  throw new Error("the call of the first server was answered without being held");
}
