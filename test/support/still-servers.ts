import { callJobs, sharedDataJobs } from "../../src/background/server-jobs.ts";
import type { ManualClock } from "./manual-clock.ts";
import { TestServer } from "./test-server.ts";

/** How often a server must look for what no notification tells it, ms. */
const POLL = 1_000;

/** A server that starts waits for the others to count on it, so the clock goes on meanwhile. */
export async function startStill(clock: ManualClock, flags: Record<string, string>): Promise<TestServer> {
  const state = { isOver: false };
  const starting = TestServer.start({ flags, clock }).finally(() => (state.isOver = true));
  while (!state.isOver) await clock.advance(50);
  return starting;
}

/**
 * One poll: runs once what the server runs at least once a second to find what no notification told it. On a
 * clock that stands still it never runs by itself.
 */
export async function pollOnce({ forebay }: TestServer): Promise<void> {
  const { engine } = forebay;
  const actions = { steer: () => undefined, tellLimits: async () => undefined };
  const jobs = [...callJobs(engine), ...sharedDataJobs(engine, actions)];
  for (const job of jobs) if (job.every <= POLL) await job.run(false);
}

/** What is true of a promise now; it may come true a moment later. */
export async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const turns = Symbol("it is pending");
  const later = new Promise((resolve) => setImmediate(() => resolve(turns)));
  return (await Promise.race([promise, later])) === turns;
}
