import { sweepDeadlines, sweepSilentWorkers, forgetExpired } from "../../src/engine/sweep.ts";
import { offerWaiting } from "../../src/engine/wake.ts";
import { workerGone } from "../../src/engine/worker-gone.ts";
import type { Act } from "./api-command.ts";
import type { ModelSession } from "./model-session.ts";
import type { QueueModel } from "./queue-model.ts";
import { pingOf, workerOf } from "./worker-acts.ts";

/** What happens by itself: time, background jobs, and the end of workers and of the server. */
export const TIME_ACTS = {
  /** A little, or up to a deadline of a job, or to a millisecond before it. No background job runs. */
  async advance(session, { job, number, isApt, isSo }) {
    const times = deadlinesOf(session.model);
    const next = times[isApt ? 0 : job % Math.max(1, times.length)];
    const little = [1, 1_000, 2_500, 9_000][number] ?? 1;
    await pass(
      session,
      isSo || next === undefined ? little : next - session.model.now - (number === 0 ? 1 : 0),
    );
    return true;
  },

  /** The background jobs run: what is due ends, goes out again, or is forgotten. */
  async expire(session) {
    const { model, server } = session;
    const { engine } = server;
    const before = model.moves;
    // As after each start: workers must have had time to call.
    const leasesHold = model.now < server.startedAt + 9_000;
    await sweepDeadlines(engine, leasesHold);
    model.sweepDeadlines(leasesHold);
    await session.settle();
    if (!leasesHold) {
      await sweepSilentWorkers(engine);
      model.sweepSilent();
      await session.settle();
    }
    await forgetExpired(engine);
    model.forget();
    await session.settle();
    await offerWaiting(engine);
    await session.settle(Infinity);
    session.mayOverlook = false;
    return model.moves > before;
  },

  /** It has ended, or it has forgotten what it had: its pings no longer list it. */
  async "lose worker"(session, roll) {
    const { model, server } = session;
    const worker = workerOf(session, { ...roll, worker: roll.worker + 1 });
    const before = model.moves;
    if (roll.isSo) {
      await workerGone(server.engine, server.endpoint, worker, "died");
      model.died(worker);
    } else {
      await pass(session, 6_000);
      for (let pings = 0; pings < 2; pings++) {
        await session.send({ method: "GET", path: pingOf(worker, []), worker });
        model.ping(worker, []);
        await session.settle();
      }
    }
    return model.moves > before;
  },

  /** Killed, and started again on what it had stored. */
  async crash(session, { number }) {
    const downtime = [1, 20, 1_000, 60_000][number] ?? 1;
    session.model.now += downtime;
    await session.server.crash(downtime);
    session.model.contactsWritten.clear();
    session.drop();
    return session.model.unfinished().length > 0;
  },
} as const satisfies Record<string, Act>;

async function pass(session: ModelSession, ms: number): Promise<void> {
  session.model.now += ms;
  await session.server.pass(ms);
  await session.settle();
}

/** When something is due, the next first. */
function deadlinesOf({ jobs, contacts, now }: QueueModel): number[] {
  const times = [...jobs.values()].flatMap((job) => [
    job.goneAt ?? job.expiresAt,
    (job.takenAt ?? Infinity) + job.policy.executionTimeout,
    (job.takenAt ?? Infinity) + 8_000,
    job.barred?.until ?? Infinity,
  ]);
  const silent = [...contacts.values()].map((at) => at + 9_001);
  return [...new Set([...times, ...silent])].filter((at) => at > now && at < Infinity).sort((a, b) => a - b);
}
