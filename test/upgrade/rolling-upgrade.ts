import { rmSync } from "node:fs";
import { seededRandom } from "../crash/seeded-random.ts";
import { type Judged, judge } from "../crash-server/judge.ts";
import { WORKER_COMMAND } from "../crash-server/own-workers.ts";
import { recorder } from "../crash-server/recorder.ts";
import { RunningLoad } from "../crash-server/running-load.ts";
import { SHORT_DURATIONS } from "../crash-server/short-durations.ts";
import { eventsOf } from "../history/job-history.ts";
import { freePort } from "../support/free-port.ts";
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

/** So many answers have to come after each act. */
const ANSWERS = 30;

/**
 * Two servers of another version serve one PostgreSQL under load. They are replaced by this version one after
 * the other; between two acts servers are killed. Lets all jobs end, and judges what clients and workers saw.
 */
export async function rollingUpgrade(seed: string, version: string, database: string): Promise<Upgraded> {
  const random = seededRandom(seed);
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
  let begun: RunningLoad | undefined;
  let kills = 0;
  try {
    const running = await RunningLoad.prepare({
      seed,
      recorder: record,
      server: first,
      url: () => balancer.url,
      clients: CLIENTS,
      exchangeWorkers: EXCHANGE_WORKERS,
    });
    begun = running;
    const last = await first.endpoint();
    await until(
      "the other server knows all",
      async () => (await second.get(`/v2/${last}/health`)).status === 200,
    );
    running.begin();

    async function kill(server: ServerProcess, isStarted = true): Promise<void> {
      await server.kill();
      kills++;
      await Bun.sleep(random.integer(0, 300));
      if (isStarted) await server.startAgain();
      await running.moves(ANSWERS);
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

    await running.moves(ANSWERS);
    await kill(second);
    await replace(first, random.chance(0.5));
    await kill(first);
    // One of each version serves. A server of 0.1.0 does not start beside this version.
    if (version !== "0.1.0") await kill(second);
    await replace(second, random.chance(0.5));
    await kill(first);
    await kill(second);
    const counted = await running.drain();
    const ended = await running.look();
    await running.endWorkers();
    for (const server of [first, second]) await server.terminate();
    return {
      kills,
      results: eventsOf(record.events, "report").length,
      ended,
      ...judge(record, counted),
      errors: [first, second].flatMap((server) => server.takeErrors()).map((line) => JSON.stringify(line)),
    };
  } finally {
    await begun?.kill();
    for (const server of [first, second]) {
      server.takeErrors();
      await server.stop();
    }
    await begun?.ended();
    rmSync(program, { recursive: true });
  }
}
