import type { World } from "./world.ts";

/** A notification can be lost: a job is then found by the search that each server makes every second. */
const LATEST_FIND = 6_000;

/** Since when a call for jobs must have waited to count, ms. */
const PARKED = 3_000;

/** A server that has just started, or runs or has its store again, is left alone for so long, ms. */
const RECOVERY = 8_000;

/** A job that waits although a server holds a call for one, as a sentence. */
export function forgottenJob(world: World): string | undefined {
  const { now } = world.agenda;
  const calm = world.servers.filter(
    ({ process, upSince }) => upSince < now - RECOVERY && process.pausedUntil < now - RECOVERY,
  );
  if (world.weather.storeFailedAt > now - RECOVERY) return undefined;
  const calls = calm.flatMap((server) => server.callsOpenSince(now - PARKED));
  if (calls.length === 0) return undefined;
  const job = world.invariants.unfinished.find((waiting) => {
    const { endpoint, state, barred_until: barredUntil, queued_at: queuedAt } = waiting;
    const since = world.invariants.waitingSince(waiting);
    const mayGoAt = Math.max(since, since + (barredUntil ?? queuedAt) - queuedAt);
    return (
      state === "IN_QUEUE" &&
      mayGoAt < now - LATEST_FIND &&
      calls.some((url) => url.includes(`/v2/${endpoint}/job-take`))
    );
  });
  return job && `job ${job.id} waits since ${job.queued_at}, although a worker asks for one`;
}
