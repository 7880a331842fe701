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
  // A bar ends by the time of the server, which stands still after the clock of the database was set back.
  const calls = calm.flatMap((server) =>
    server.callsOpenSince(now - PARKED).map((url) => ({ url, time: server.engine.clock.now() })),
  );
  if (calls.length === 0) return undefined;
  const job = world.invariants.unfinished.find((waiting) => {
    const { endpoint, state, barred_until: barredUntil } = waiting;
    if (state !== "IN_QUEUE" || world.invariants.waitingSince(waiting) >= now - LATEST_FIND) return false;
    const asking = calls.filter(({ url }) => url.includes(`/v2/${endpoint}/job-take`));
    return asking.some(({ time }) => (barredUntil ?? 0) < time - LATEST_FIND);
  });
  return job && `job ${job.id} waits since ${job.queued_at}, although a worker asks for one`;
}
