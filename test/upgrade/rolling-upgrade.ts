import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "../crash/seeded-random.ts";
import { countersOfEnded, lookAtAll } from "../crash-server/aftermath.ts";
import { answeredOf } from "../crash-server/answered.ts";
import { ExchangeWorker } from "../crash-server/exchange-worker.ts";
import { type Judged, judge } from "../crash-server/judge.ts";
import { type Load, loadClient } from "../crash-server/load-client.ts";
import { OwnWorkers, SILENT_TIMEOUT, WORKER_COMMAND } from "../crash-server/own-workers.ts";
import { type Recorder, recorder } from "../crash-server/recorder.ts";
import { SHORT_DURATIONS } from "../crash-server/short-durations.ts";
import { addWorkerRecords, RECORDS_VARIABLE } from "../crash-server/worker-record.ts";
import { eventsOf } from "../history/job-history.ts";
import { freePort } from "../support/free-port.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { RoundRobin } from "../support/round-robin.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { layServer, newDirectory } from "./fixtures.ts";

/** What a run has come to. */
export interface Upgraded extends Judged {
  readonly kills: number;
  readonly results: number;
  readonly ended: Readonly<Record<string, number>>;
  /** What the servers logged as errors, but for what a killed server explains. */
  readonly errors: readonly string[];
}

const CLIENTS = 4;
const EXCHANGE_WORKERS = 3;

/** After each act so many answers have to come, within so many ms. */
const ANSWERS = 30;
const STANDS_STILL = 60_000;

/**
 * Two servers of another version serve one PostgreSQL under load. They are replaced by this version one after
 * the other; between two acts servers are killed. Lets all jobs end, and judges what clients and workers saw.
 */
export async function rollingUpgrade(seed: string, version: string, database: string): Promise<Upgraded> {
  const random = seededRandom(seed);
  const records = mkdtempSync(join(tmpdir(), "forebay-records-"));
  const program = newDirectory();
  const main = layServer(version, program);
  const ports = [await freePort(), await freePort()];
  await using balancer = await RoundRobin.start(() => ports);
  const start = (port = 0): Promise<ServerProcess> =>
    ServerProcess.start({
      main,
      flags: {
        ...SHORT_DURATIONS,
        port: String(port),
        "database-url": database,
        "public-url": balancer.url,
        "secret-key": "the same",
      },
      commands: { worker: WORKER_COMMAND },
    });
  const [first, second] = [await start(ports[0]), await start(ports[1])];
  const record = recorder(true);
  const endLoad = new AbortController();
  const endWorkers = new AbortController();
  const running: Promise<void>[] = [];
  let own: OwnWorkers | undefined;
  let kills = 0;

  async function kill(server: ServerProcess, isStarted = true): Promise<void> {
    await server.kill();
    kills++;
    await Bun.sleep(random.integer(0, 300));
    if (isStarted) await server.startAgain();
    await movesOn(record);
  }

  /** As an operator does, or by a crash. */
  async function replace(server: ServerProcess, isCrash: boolean): Promise<void> {
    if (isCrash) await kill(server, false);
    else await server.terminate();
    server.upgrade();
    server.launch();
    // Its first start upgrades the schema: a kill comes in the middle of it.
    await Bun.sleep(random.integer(50, 500));
    await kill(server);
  }

  try {
    const managed = await first.commandEndpoint(
      "worker",
      { workersMin: 1, workersMax: 2, rateLimits: RAISED_LIMITS },
      { [RECORDS_VARIABLE]: records },
    );
    const visited = await first.endpoint({ rateLimits: RAISED_LIMITS });
    const silent = await first.endpoint({ rateLimits: RAISED_LIMITS, executionTimeoutMs: SILENT_TIMEOUT });
    own = await OwnWorkers.start({ server: first, endpoint: visited, silent, records });
    const workers = await first.workers(visited, EXCHANGE_WORKERS);
    const last = await first.endpoint();
    await until(
      "the other server knows all",
      async () => (await second.get(`/v2/${last}/health`)).status === 200,
    );
    for (const [index, worker] of workers.entries()) {
      const one = new ExchangeWorker(worker, visited, record, seededRandom(`${seed}/worker/${index}`));
      running.push(one.run(endWorkers.signal));
    }
    const load: Load = {
      recorder: record,
      url: () => balancer.url,
      endpoints: [managed, visited, silent],
      purged: visited,
      timesOut: silent,
      jobs: [],
      failed: [],
    };
    const clients = Array.from({ length: CLIENTS }, (_, index) =>
      loadClient(load, seededRandom(`${seed}/client/${index}`), `client-${index}`, endLoad.signal),
    );
    running.push(...clients);

    await movesOn(record);
    await kill(second);
    await replace(first, random.chance(0.5));
    await kill(first);
    // One of each version serves. A server of 0.1.0 does not start beside this version.
    if (version !== "0.1.0") await kill(second);
    await replace(second, random.chance(0.5));
    await kill(first);
    await kill(second);
    endLoad.abort();
    await Promise.all(clients);
    const counted = await countersOfEnded(load);
    addWorkerRecords(record, records);
    const ended = await lookAtAll(load);
    endWorkers.abort();
    await Promise.all(running);
    await own.stop();
    for (const server of [first, second]) await server.terminate();
    return {
      kills,
      results: eventsOf(record.events, "report").length,
      ended,
      ...judge(record, counted),
      errors: [first, second].flatMap(takeErrors),
    };
  } finally {
    endLoad.abort();
    endWorkers.abort();
    await own?.kill();
    for (const server of [first, second]) {
      takeErrors(server);
      await server.stop();
    }
    await Promise.all(running);
    for (const directory of [records, program]) rmSync(directory, { recursive: true });
  }
}

/** Answers of submissions, and to workers that reported results, go on coming. */
async function movesOn({ events }: Recorder): Promise<void> {
  const before = answeredOf(events);
  await until("jobs come in and end", () => answeredOf(events) >= before + ANSWERS, STANDS_STILL);
}

/** Takes the errors out of the log. */
function takeErrors({ log }: ServerProcess): string[] {
  const errors = log.filter(({ level }) => level === "error");
  log.splice(0, log.length, ...log.filter(({ level }) => level !== "error"));
  return errors.map((line) => JSON.stringify(line));
}
