import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspectFiles } from "../crash/inspect-files.ts";
import { type SeededRandom, seededRandom } from "../crash/seeded-random.ts";
import { eventsOf } from "../history/job-history.ts";
import { countersOfEnded, lookAtAll, webhooksDelivered } from "./aftermath.ts";
import { killIfThere } from "../support/processes.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { ExchangeWorker } from "./exchange-worker.ts";
import { type Judged, judge } from "./judge.ts";
import { KilledServer, type KillPlan } from "./killed-server.ts";
import { type Load, loadClient } from "./load-client.ts";
import { OwnWorkers, SILENT_TIMEOUT, WORKER_COMMAND } from "./own-workers.ts";
import { recorder } from "./recorder.ts";
import { SHORT_DURATIONS } from "./short-durations.ts";
import { webhookReceiver } from "./webhook-receiver.ts";
import { addWorkerRecords, RECORDS_VARIABLE } from "./worker-record.ts";

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
const FLEET = 2;
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
  const records = mkdtempSync(join(tmpdir(), "forebay-records-"));
  const record = recorder();
  await using receiver = await webhookReceiver(record, random.next());
  const killed = await KilledServer.start({
    flags: databaseUrl === undefined ? SHORT_DURATIONS : { ...SHORT_DURATIONS, "database-url": databaseUrl },
    commands: { worker: WORKER_COMMAND },
  });
  const server = killed.process;
  const endLoad = new AbortController();
  const endWorkers = new AbortController();
  const running: Promise<void>[] = [];
  let own: OwnWorkers | undefined;
  try {
    const limits = { workersMin: 1, workersMax: FLEET, rateLimits: RAISED_LIMITS, webhookRetries: 30 };
    const managed = await server.commandEndpoint("worker", limits, { [RECORDS_VARIABLE]: records });
    const visited = await server.endpoint({ rateLimits: RAISED_LIMITS, webhookRetries: 30 });
    const silent = await server.endpoint({
      rateLimits: RAISED_LIMITS,
      webhookRetries: 30,
      executionTimeoutMs: SILENT_TIMEOUT,
    });
    own = await OwnWorkers.start({ server, endpoint: visited, silent, records });
    for (const [index, worker] of (await server.workers(visited, EXCHANGE_WORKERS)).entries()) {
      const one = new ExchangeWorker(worker, visited, record, seededRandom(`${seed}/worker/${index}`));
      running.push(one.run(endWorkers.signal));
    }
    const load: Load = {
      recorder: record,
      url: () => server.url,
      endpoints: [managed, visited, silent],
      purged: visited,
      timesOut: silent,
      webhook: receiver.url(),
      jobs: [],
      failed: [],
    };
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      loadClient(load, seededRandom(`${seed}/client/${index}`), `client-${index}`, endLoad.signal),
    );
    running.push(...clients);

    await server.kill();
    let insideCommit = 0;
    let workersKilled = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const isInside = await killed.runUntilKilled(planOf(random), async () => {
        if (!random.chance(0.3)) return;
        await Bun.sleep(random.integer(0, 500));
        workersKilled++;
        const [pid] = random.chance(0.4) ? server.workerProcesses() : [];
        if (pid === undefined) await own?.killOne(random);
        else killIfThere(pid);
      });
      if (isInside) insideCommit++;
    }
    await killed.startAgain();
    endLoad.abort();
    await Promise.all(clients);
    const counted = await countersOfEnded(load);
    await webhooksDelivered(server, load.endpoints);
    addWorkerRecords(record, records);
    const ended = await lookAtAll(load);
    endWorkers.abort();
    await Promise.all(running);
    const exits = await own.stop();
    await server.terminate();

    const { events } = record;
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
      silentHandOuts: eventsOf(events, "handOut").filter(({ endpoint }) => endpoint === silent).length,
      webhooks: eventsOf(events, "webhook").length,
      ended,
      ...judge(record, counted),
      orphans: [...killed.orphans, ...server.workerProcesses()],
      files,
    };
  } finally {
    endLoad.abort();
    endWorkers.abort();
    await own?.kill();
    await server.stop();
    await Promise.all(running);
    rmSync(records, { recursive: true });
  }
}
