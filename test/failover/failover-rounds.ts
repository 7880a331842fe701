import { seededRandom } from "../crash/seeded-random.ts";
import { type Judged, judge } from "../crash-server/judge.ts";
import { endpointCounters } from "../crash-server/load-client.ts";
import { WORKER_COMMAND } from "../crash-server/own-workers.ts";
import { recorder } from "../crash-server/recorder.ts";
import { RunningLoad } from "../crash-server/running-load.ts";
import { SHORT_DURATIONS } from "../crash-server/short-durations.ts";
import { eventsOf } from "../history/job-history.ts";
import { allLeaderJobsSeen } from "../support/leader-job-signs.ts";
import { freePort } from "../support/free-port.ts";
import type { PostgresPair } from "../support/postgres-pair.ts";
import { RoundRobin } from "../support/round-robin.ts";
import { type LogLine, ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { type FaultKind, faultPlan } from "./fault-plan.ts";
import { strike } from "./strike.ts";

/** What a run has come to. */
export interface Survived extends Judged {
  /** For each fault how long it took until jobs came in and ended again, ms. */
  readonly faults: readonly { readonly kind: FaultKind; readonly movedAfter: number }[];
  /** From the last fault until every job had ended, ms. */
  readonly drainedAfter: number;
  /** From the last fault until each background job of the leader was seen to run, ms. */
  readonly jobsSeen: Readonly<Record<string, number>>;
  readonly results: number;
  readonly ended: Readonly<Record<string, number>>;
  /** Those that one server does for all, as the servers say. */
  readonly leaderJobs: readonly string[];
  /** What the logs say of workers that Forebay had started and not told to end. */
  readonly workersEnded: readonly LogLine[];
  /** Jobs that waited when the last fault was over. */
  readonly backlog: number;
  /** What the servers logged as errors, except background jobs that could not reach the database. */
  readonly errors: readonly string[];
  readonly orphans: readonly number[];
  /** All that the servers logged. */
  readonly logs: readonly LogLine[];
}

const CLIENTS = 4;
const EXCHANGE_WORKERS = 3;

/** So many answers have to come after a fault. */
const ANSWERS = 20;

/** From one fault to the next at most, when all is well again, ms. */
const PAUSE = 300;

/**
 * Breaks two servers and the two databases below them under load, one thing after the other, lets all jobs
 * end, and judges what clients and workers saw meanwhile.
 */
export async function failoverRounds(seed: string, count: number, pair: PostgresPair): Promise<Survived> {
  const random = seededRandom(seed);
  const ports = [await freePort(), await freePort()];
  await using balancer = await RoundRobin.start(() => ports);
  const start = (port = 0): Promise<ServerProcess> => startServer(pair.url, balancer.url, port);
  const servers = [await start(ports[0]), await start(ports[1])] as const;
  // What is new is known to the other server a moment later.
  const [client] = servers;
  const record = recorder(true);
  let begun: RunningLoad | undefined;
  try {
    const running = await RunningLoad.prepare({
      seed,
      recorder: record,
      server: client,
      url: () => balancer.url,
      clients: CLIENTS,
      exchangeWorkers: EXCHANGE_WORKERS,
    });
    begun = running;
    const { load } = running;
    await knows(servers[1], await client.endpoint());
    running.begin();

    const faults: { kind: FaultKind; movedAfter: number }[] = [];
    for (const kind of faultPlan(random, count)) {
      await Bun.sleep(random.integer(0, PAUSE));
      const struckAt = performance.now();
      await strike(kind, { pair, servers }, random);
      await running.moves(ANSWERS);
      faults.push({ kind, movedAfter: Math.round(performance.now() - struckAt) });
      await pair.caughtUp();
    }
    const lastAt = performance.now();
    const left = await Promise.all(load.endpoints.map((endpoint) => endpointCounters(load, endpoint)));
    const jobsSeen = allLeaderJobsSeen({ client, ask: (statement) => pair.ask(statement) });
    const counted = await running.drain();
    const drainedAfter = Math.round(performance.now() - lastAt);
    const ended = await running.look();
    const seenAfter = await jobsSeen;
    await running.endWorkers();
    for (const server of servers) await server.terminate();
    const logs = servers.flatMap(({ log }) => log);
    return {
      faults,
      drainedAfter,
      jobsSeen: seenAfter,
      results: eventsOf(record.events, "report").length,
      ended,
      ...judge(record, counted),
      leaderJobs: leaderJobsOf(logs),
      workersEnded: logs.filter(({ message }) => message === "a worker exited"),
      backlog: left.reduce((sum, { inQueue }) => sum + inQueue, 0),
      logs,
      errors: servers.flatMap(takeErrors),
      orphans: servers.flatMap((server) => server.workerProcesses()),
    };
  } finally {
    await begun?.kill();
    for (const server of servers) {
      takeErrors(server);
      await server.stop();
    }
    await begun?.ended();
  }
}

/** Changes come in their order, so it knows all before this one too. */
async function knows(server: ServerProcess, endpoint: string): Promise<void> {
  await until("the other server knows the endpoint", async () => {
    const { status } = await server.get(`/v2/${endpoint}/health`);
    return status === 200;
  });
}

function startServer(databaseUrl: string, publicUrl: string, port: number): Promise<ServerProcess> {
  return ServerProcess.start({
    flags: {
      ...SHORT_DURATIONS,
      port: String(port),
      "database-url": databaseUrl,
      "public-url": publicUrl,
      "secret-key": "the same",
    },
    commands: { worker: WORKER_COMMAND },
  });
}

/** What a database that goes away does not explain, of the errors that the server has logged. */
function takeErrors(server: ServerProcess): string[] {
  return server
    .takeErrors()
    .filter(({ error }) => !String(error).includes("The database does not answer"))
    .map((line) => JSON.stringify(line));
}

function leaderJobsOf(logs: readonly LogLine[]): string[] {
  const told = logs.filter(({ message }) => message === "this server is the leader now");
  return [...new Set(told.flatMap(({ duties }) => String(duties).split(", ")))];
}
