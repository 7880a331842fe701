import { join } from "node:path";
import { inspectFiles } from "../crash/inspect-files.ts";
import { type SeededRandom, seededRandom } from "../crash/seeded-random.ts";
import { eventsOf } from "../history/job-history.ts";
import { killIfThere } from "../support/processes.ts";
import { webhooksDelivered } from "./aftermath.ts";
import { type Judged, judge } from "./judge.ts";
import { KilledServer, type KillPlan } from "./killed-server.ts";
import { WORKER_COMMAND } from "./own-workers.ts";
import { recorder } from "./recorder.ts";
import { RunningLoad } from "./running-load.ts";
import { SHORT_DURATIONS } from "./short-durations.ts";
import { webhookReceiver } from "./webhook-receiver.ts";

/** What a run has come to: a run that reached nothing has shown nothing. */
export interface Reached extends Judged {
  readonly kills: number;
  readonly insideCommit: number;
  readonly workersKilled: number;
  readonly commits: number;
  readonly results: number;
  /** Jobs that silent workers got. */
  readonly silentHandOuts: number;
  /** Calls of webhooks. */
  readonly webhooks: number;
  /** How many jobs ended in each state; `gone` are those that were purged. */
  readonly ended: Readonly<Record<string, number>>;
  /** Workers that were there after the next start of their server, or after its end. */
  readonly orphans: readonly number[];
  /** What is wrong with the files of the stopped server. */
  readonly files: readonly string[];
}

const CLIENTS = 8;
const EXCHANGE_WORKERS = 2;

/**
 * Kills a server under load again and again, lets all jobs end, and judges what was seen meanwhile. With a
 * `databaseUrl` its jobs lie there.
 */
export async function crashRounds(
  seed: string,
  kills: number,
  planOf: (random: SeededRandom) => KillPlan,
  databaseUrl?: string,
): Promise<Reached> {
  const random = seededRandom(seed);
  const record = recorder();
  await using receiver = await webhookReceiver(record, random.next());
  const killed = await KilledServer.start({
    flags: databaseUrl === undefined ? SHORT_DURATIONS : { ...SHORT_DURATIONS, "database-url": databaseUrl },
    commands: { worker: WORKER_COMMAND },
  });
  const server = killed.process;
  let begun: RunningLoad | undefined;
  try {
    const running = await RunningLoad.prepare({
      seed,
      recorder: record,
      server,
      url: () => server.url,
      clients: CLIENTS,
      exchangeWorkers: EXCHANGE_WORKERS,
      fields: { webhookRetries: 30 },
      webhook: receiver.url(),
    });
    begun = running;
    running.begin();

    await server.kill();
    let insideCommit = 0;
    let workersKilled = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const isInside = await killed.runUntilKilled(planOf(random), async () => {
        if (!random.chance(0.3)) return;
        await Bun.sleep(random.integer(0, 500));
        workersKilled++;
        const [pid] = random.chance(0.4) ? server.workerProcesses() : [];
        if (pid === undefined) await running.own.killOne(random);
        else killIfThere(pid);
      });
      if (isInside) insideCommit++;
    }
    await killed.startAgain();
    const counted = await running.drain();
    await webhooksDelivered(server, running.load.endpoints);
    const ended = await running.look();
    const exits = await running.endWorkers();
    await server.terminate();

    const { events } = record;
    const handOuts = eventsOf(events, "handOut");
    const files = [
      ...(databaseUrl === undefined ? inspectFiles(join(server.directory, "data")).faults : []),
      ...exits.filter((exit) => exit !== 0).map((exit) => `a worker ended with ${exit}`),
    ];
    return {
      kills,
      insideCommit,
      workersKilled,
      commits: killed.commits,
      results: eventsOf(events, "report").length,
      silentHandOuts: handOuts.filter(({ endpoint }) => endpoint === running.load.timesOut).length,
      webhooks: eventsOf(events, "webhook").length,
      ended,
      ...judge(record, counted),
      orphans: [...killed.orphans, ...server.workerProcesses()],
      files,
    };
  } finally {
    await begun?.kill();
    await server.stop();
    await begun?.ended();
  }
}
