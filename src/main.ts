import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { version } from "../package.json" with { type: "json" };
import { atStop, inTime } from "./background/at-stop.ts";
import { type FleetWorkers, fleetWorkers } from "./background/fleet-workers.ts";
import { workerStarts } from "./background/hosts-now.ts";
import { keyJobs } from "./background/key-jobs.ts";
import { recordedHosts } from "./background/recorded-hosts.ts";
import type { BackgroundJob } from "./background/run-background-jobs.ts";
import { scaleJob } from "./background/scale.ts";
import { type BackgroundJobs, startBackgroundJobs } from "./background/start-background-jobs.ts";
import { diskSpaceJob, watchDisk } from "./background/watch-disk.ts";
import { hostsJob, workerJobs } from "./background/worker-jobs.ts";
import { type Config, IN_MEMORY, keptAmounts } from "./config/config.ts";
import { configuredHosts, limitedProcesses, reachDocker } from "./config/configured-docker.ts";
import { hostCalls } from "./config/host-refusal.ts";
import { openDataDirectory } from "./data/data-directory.ts";
import { ownClock } from "./data/own-clock.ts";
import { openOwnStore } from "./data/own-store.ts";
import { loadSecretKeys } from "./data/secret-key.ts";
import type { Clock } from "./domain/clock.ts";
import { ForebayError } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { newMeters } from "./domain/meters.ts";
import { createEngine, stopEngine } from "./engine/create-engine.ts";
import type { Engine } from "./engine/engine.ts";
import { createCommandEndpoint } from "./engine/records/endpoints.ts";
import { createDefaultAccount, deploymentName } from "./engine/records/accounts.ts";
import { createFirstKey } from "./engine/records/keys.ts";
import { writeKeyUses } from "./engine/records/key-uses.ts";
import { deleteOrphanReleases, ensureReleases } from "./engine/records/releases.ts";
import { refuseOtherKeys } from "./engine/records/unopened-secrets.ts";
import { deleteOrphanTokens } from "./engine/records/worker-tokens.ts";
import { secretBox } from "./engine/secret-box.ts";
import { fixedHosts, type Hosts, localHost } from "./fleet/hosts.ts";
import { outputWithListener } from "./fleet/worker-output.ts";
import { openWorkerLogFiles } from "./fleet/logs/worker-log-files.ts";
import { loadCommands } from "./fleet/process/commands.ts";
import { openProcessProvider, type ProcessProviderOptions } from "./fleet/process/process-provider.ts";
import { removeDirectory } from "./fleet/process/left-overs.ts";
import { MB } from "./http/body.ts";
import { httpContext } from "./http/context.ts";
import { recordBytes } from "./http/present/record.ts";
import { policyIn } from "./http/queue/submission-members.ts";
import { router } from "./http/router.ts";
import { routes } from "./http/operations.ts";
import { serveHttp } from "./http/server.ts";
import { createOutbound } from "./outbound/create-outbound.ts";
import { parseNetworks } from "./outbound/network.ts";
import { commitMarks } from "./host/commit-marks.ts";
import { ownProgram } from "./host/own-program.ts";
import { processVitals, transactionMeter } from "./host/process-vitals.ts";
import { systemClock, thisMachine } from "./host/system-clock.ts";

export interface Forebay {
  /** Where it listens. */
  readonly url: string;
  readonly engine: Engine;
  /** The key made at the first start of an empty server; undefined later. */
  readonly firstKey: string | undefined;
  /** Id of the demo endpoint; undefined when there is none. */
  readonly demo: string | undefined;
  /** Answers what waits, ends what it started, and closes the store. */
  stop(): Promise<void>;
}

/** The workers that a server starts: the processes, and the background job that starts and stops them. */
export interface Fleet {
  readonly processes: Omit<ProcessProviderOptions, "directory" | "boot" | "output" | "clock" | "log">;
  /** Called with each line that a worker prints; it is kept as well. */
  readonly onOutput?: (line: string) => void;
  readonly scaling: (engine: Engine, workers: FleetWorkers) => BackgroundJob;
}

/** Requests still open this long after the stop are cut, ms. */
const STOP_GRACE = 3_000;

/** They are answered as long as this, whatever the parts before have taken, ms. */
const SHORTEST_GRACE = 300;

/**
 * How long each part of a stop may take, ms: together with the drain grace of 5 s less than the 10 s after
 * which an operator's `docker stop` or service manager kills.
 */
const STOP_LIMITS = { letGo: 400, kill: 700, answers: 3_300, last: 400, store: 1_000 };

/** The endpoint that answers the first call of a new user. */
const DEMO = "hello";

/**
 * Builds the server, in order, and starts it. The only place that sees every room. Without a `clock` it has
 * that of the system; without a `fleet` it runs the commands that the operator registered, as many workers as
 * there are jobs.
 */
export async function startForebay(
  config: Config,
  log: Log,
  givenClock?: Clock,
  givenFleet?: Fleet,
): Promise<Forebay> {
  // What a start that fails has opened so far is closed again, the last first.
  await using opening = new AsyncDisposableStack();
  const host = await openHost(config, log, givenFleet, opening);
  const { server, meters } = host;
  const own = await openEngine(host, givenClock, opening);
  const { engine, outbound, steer, workerFiles } = own;
  const publicUrl = (): string => (config.publicUrl === "" ? server.url : config.publicUrl);
  const { workers, hosts } = await openFleet(host, own, publicUrl);
  const context = httpContext(engine, config, publicUrl);
  engine.peers?.onMore(() => context.rateLimiter.tellExcess());
  const routing = router(routes(context));
  await engine.peers?.join();
  // The last step that can fail: a key that is created is shown.
  const firstKey = config.adminKey === "" ? await createFirstKey(engine) : undefined;
  server.open(routing);
  const jobs = startBackgroundJobs(engine, {
    outbound,
    recordOf: (job) => recordBytes(engine, job),
    policyIn,
    steer,
    tellLimits: () => context.rateLimiter.tellChanges(),
    ofLeader: [host.fleet.scaling(engine, workers)],
    ofEach: (isLeader) => [
      ...workerJobs(engine, workers, workerFiles.logs, isLeader),
      hostsJob(hosts, log),
      ...keyJobs(engine, config.data === IN_MEMORY ? undefined : resolve(config.data)),
      diskSpaceJob(engine),
    ],
    onNotLeader: () => workers.endAll(),
  });
  meters.leads = jobs.leader.isLeader;
  const opened = opening.move();
  return {
    url: server.url,
    engine,
    firstKey,
    demo: engine.configuration.get("endpoint", DEMO)?.id,
    stop: () => stopForebay(host, own, workers, jobs, opened),
  };
}

type Host = Awaited<ReturnType<typeof openHost>>;

/** What is there before the data: the locked directory, the port, and the keys that open secrets. */
async function openHost(
  config: Config,
  log: Log,
  givenFleet: Fleet | undefined,
  opening: AsyncDisposableStack,
) {
  const onCommit = commitMarks(config.commitMarksFd);
  const fleet = givenFleet ?? (await registeredCommands(config));
  const docker = await reachDocker(config, systemClock());
  opening.defer(async () => docker?.close());
  const data = await openDataDirectory(config);
  opening.defer(() => data.release());
  const vitals = processVitals();
  const meters = newMeters(vitals, watchDisk(config.data, log));
  // Before the first request, which may need to know that the disk is full.
  await meters.disk.look();
  // Before any data is opened, so that a taken port changes nothing.
  const server = serveHttp({ ...config, connectionLimits: config, log, meters });
  opening.defer(() => server.stop(0));
  const secretKeys = await loadSecretKeys(config);
  const onTransaction = transactionMeter(vitals, meters);
  return { config, log, fleet, docker, data, vitals, meters, server, secretKeys, onCommit, onTransaction };
}

type OwnEngine = Awaited<ReturnType<typeof openEngine>>;

/** The engine on the data of this server. `hosts` are there once the fleet is open. */
async function openEngine(host: Host, givenClock: Clock | undefined, opening: AsyncDisposableStack) {
  const { config, log, data, meters, secretKeys } = host;
  const store = await openOwnStore(host);
  opening.defer(() => store.close());
  const { clock, steer } = await ownClock(config, log, store, givenClock);
  const workerFiles = await openWorkerFiles(host, clock);
  const outbound = createOutbound({ clock, allow: parseNetworks(config.webhookAllow), version });
  const hosts: { current: Hosts | undefined } = { current: undefined };
  const engine: Engine = await createEngine({
    server: data.server,
    store,
    clock,
    durations: config,
    workerLogs: workerFiles.logs,
    ...keptAmounts(config),
    log,
    meters,
    secrets: secretBox(secretKeys.keys),
    keepKeys: secretKeys.keep,
    randomFill: (bytes) => crypto.getRandomValues(bytes),
    webhookRefusal: outbound.refusal,
    starts: workerStarts(hosts, () => engine, hostCalls(config, clock)),
  });
  await refuseOtherKeys(engine, secretKeys.mismatch);
  return { engine, steer, workerFiles, outbound, hosts };
}

/** Where the workers of this server run, and where their output goes. */
async function openWorkerFiles({ config, log, fleet }: Host, clock: Clock) {
  const isInMemory = config.data === IN_MEMORY;
  // Created when the first worker starts.
  const workers = isInMemory
    ? join(tmpdir(), `forebay-${crypto.randomUUID()}`)
    : join(resolve(config.data), "workers");
  const directory = isInMemory ? `${workers}-logs` : join(resolve(config.data), "logs");
  const logs = await openWorkerLogFiles({
    directory,
    limit: config.workerLogLimit * MB,
    endpointLimit: config.endpointLogLimit * MB,
    retention: config.workerLogRetention,
    clock,
    log,
  });
  const output = fleet.onOutput === undefined ? logs : outputWithListener(logs, fleet.onOutput);
  /** `temporary` go with the server. */
  return { workers, logs, output, temporary: isInMemory ? [workers, directory] : [] };
}

/** The workers: what a killed server left behind is ended or adopted, and the first records are there. */
async function openFleet(
  { config, log, fleet, docker, data, secretKeys }: Host,
  { engine, workerFiles, hosts }: OwnEngine,
  publicUrl: () => string,
) {
  const { clock } = engine;
  const { output } = workerFiles;
  // What a killed server left behind has ended before anything else runs.
  const here = { directory: workerFiles.workers, boot: thisMachine.uptime()?.boot, output, clock, log };
  const processProvider = await openProcessProvider({ ...fleet.processes, ...here });
  hosts.current = fixedHosts(localHost(processProvider));
  await secretKeys.write();
  await data.confirm();
  const isFirstStart = engine.configuration.isUntouched();
  await createDefaultAccount(engine);
  if (isFirstStart && config.demo) await createDemo(engine);
  const deployment = await deploymentName(engine);
  const parts = { config, docker, deployment, server: engine.server, output, clock, log };
  const configured = await configuredHosts(processProvider, parts);
  hosts.current = recordedHosts(engine, configured.hosts, configured.open);
  const workers = fleetWorkers(engine, hosts.current, publicUrl);
  await workers.adopt();
  await deleteOrphanTokens(engine);
  await deleteOrphanReleases(engine);
  await ensureReleases(engine);
  return { workers, hosts: hosts.current };
}

/** Answers what waits, ends what this server started, and closes the store. */
async function stopForebay(
  { config, log, server, vitals }: Host,
  { engine, workerFiles }: OwnEngine,
  workers: FleetWorkers,
  { leader, webhooks, running }: BackgroundJobs,
  opened: AsyncDisposableStack,
): Promise<void> {
  stopEngine(engine);
  workerFiles.logs.release();
  const begun = engine.clock.now();
  await running.stop();
  const letGo = [
    atStop(log, "uses of keys", writeKeyUses(engine)),
    atStop(log, "leadership", leader.resign()),
  ];
  await inTime(engine, "what other servers need", STOP_LIMITS.letGo, Promise.all(letGo));
  // The server still listens: what a worker finishes in its grace is kept.
  const stopped = atStop(log, "workers", workers.stop());
  const ending = Promise.all([stopped, atStop(log, "webhooks", webhooks.stop())]);
  await inTime(engine, "workers", config.drainGrace + STOP_LIMITS.kill, ending);
  const left = config.drainGrace + STOP_LIMITS.answers - (engine.clock.now() - begun);
  await server.stop(Math.min(STOP_GRACE, Math.max(SHORTEST_GRACE, left)));
  const last = [
    atStop(log, "statistics", engine.statistics.flush()),
    atStop(log, "history", engine.endedJobs.flush()),
    ...(engine.peers === undefined ? [] : [atStop(log, "peers", engine.peers.leave())]),
    workerFiles.logs.close(),
  ];
  await inTime(engine, "statistics", STOP_LIMITS.last, Promise.all(last));
  for (const path of workerFiles.temporary) await removeDirectory(path, log);
  await inTime(engine, "store", STOP_LIMITS.store, opened.disposeAsync());
  vitals.stop();
}

/** Of servers that start together on an empty database one makes it. */
async function createDemo(engine: Engine): Promise<void> {
  try {
    await createCommandEndpoint(engine, DEMO);
  } catch (error) {
    if (!(error instanceof ForebayError && error.code === "NAME_TAKEN")) throw error;
    await engine.configuration.refresh();
  }
}

async function registeredCommands(config: Config): Promise<Fleet> {
  const registered = config.commands === "" ? [] : await loadCommands(config.commands);
  // The example worker is there without being registered.
  const commands = new Map([[DEMO, ownProgram("worker:hello")], ...registered]);
  const limited = await limitedProcesses(config);
  return { processes: { commands, operatorEnvironment: process.env, limited }, scaling: scaleJob };
}
