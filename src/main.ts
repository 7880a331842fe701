import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { version } from "../package.json" with { type: "json" };
import { atStop, inTime } from "./background/at-stop.ts";
import { type FleetWorkers, fleetWorkers } from "./background/fleet-workers.ts";
import { keyJobs } from "./background/key-jobs.ts";
import type { BackgroundJob } from "./background/run-background-jobs.ts";
import { scaleJob } from "./background/scale.ts";
import { startBackgroundJobs } from "./background/start-background-jobs.ts";
import { diskSpaceJob, watchDisk } from "./background/watch-disk.ts";
import { workerJobs } from "./background/worker-jobs.ts";
import { accountLimits, type Config, IN_MEMORY } from "./config/config.ts";
import { configuredDocker, dockerAddress } from "./config/configured-docker.ts";
import { logAdoption, openDataDirectory } from "./data/data-directory.ts";
import { ownClock } from "./data/own-clock.ts";
import { loadSecretKeys } from "./data/secret-key.ts";
import type { Clock } from "./domain/clock.ts";
import { ForebayError } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { newMeters } from "./domain/meters.ts";
import { createEngine, stopEngine } from "./engine/create-engine.ts";
import type { Engine } from "./engine/engine.ts";
import { digestOf } from "./engine/digest.ts";
import { createCommandEndpoint } from "./engine/records/endpoints.ts";
import { createDefaultAccount, deploymentName } from "./engine/records/accounts.ts";
import { createFirstKey } from "./engine/records/keys.ts";
import { writeKeyUses } from "./engine/records/key-uses.ts";
import { deleteOrphanReleases, ensureReleases } from "./engine/records/releases.ts";
import { refuseOtherKeys } from "./engine/records/unopened-secrets.ts";
import { deleteOrphanTokens } from "./engine/records/worker-tokens.ts";
import { secretBox } from "./engine/secret-box.ts";
import { outputWithListener } from "./fleet/worker-output.ts";
import { openWorkerLogFiles } from "./fleet/logs/worker-log-files.ts";
import { loadCommands } from "./fleet/process/commands.ts";
import { openProcessProvider, type ProcessProviderOptions } from "./fleet/process/process-provider.ts";
import { removeDirectory } from "./fleet/process/left-overs.ts";
import { type Providers, providersByImage } from "./fleet/provider.ts";
import { startsFrom } from "./fleet/starts-from.ts";
import { MB } from "./http/body.ts";
import { httpContext } from "./http/context.ts";
import { recordBytes } from "./http/present/record.ts";
import { router } from "./http/router.ts";
import { routes } from "./http/operations.ts";
import { serveHttp } from "./http/server.ts";
import { createOutbound } from "./outbound/create-outbound.ts";
import { parseNetworks } from "./outbound/network.ts";
import { commitMarks } from "./host/commit-marks.ts";
import { ownProgram } from "./host/own-program.ts";
import { processVitals, transactionMeter } from "./host/process-vitals.ts";
import { openStore } from "./store/open-store.ts";
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
  fleet?: Fleet,
): Promise<Forebay> {
  // What a start that fails has opened so far is closed again, the last first.
  await using opening = new AsyncDisposableStack();
  const onCommit = commitMarks(config.commitMarksFd);
  const { processes, scaling, onOutput } = fleet ?? (await registeredCommands(config));
  const address = await dockerAddress(config);
  const data = await openDataDirectory(config);
  opening.defer(() => data.release());
  const vitals = processVitals();
  const meters = newMeters(vitals, watchDisk(config.data, log));
  // So that the first answer tells of a full disk.
  await meters.disk.look();
  // Before any data is opened, so that a taken port changes nothing.
  const server = serveHttp({ ...config, connectionLimits: config, log, meters });
  opening.defer(() => server.stop(0));
  const secretKeys = await loadSecretKeys(config);
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    databaseListenUrl: config.databaseListenUrl,
    directory: config.data === IN_MEMORY ? undefined : config.data,
    owner: { ...data, adopts: config.adoptData, onAdopted: (from) => logAdoption(log, from) },
    keyDigests: secretKeys.keys.map(digestOf),
    log,
    onCommit,
    onTransaction: transactionMeter(vitals, meters),
    onFatal(error) {
      log.error("the disk can no longer be trusted: ending, to recover from what is durable", {
        error: String(error),
      });
      process.exit(70);
    },
    after: systemClock().after,
  });
  opening.defer(() => store.close());
  const { clock, steer } = await ownClock(config, log, store, givenClock);
  const directory = workersDirectory(config);
  const logsDirectory = config.data === IN_MEMORY ? `${directory}-logs` : join(resolve(config.data), "logs");
  const workerLogs = await openWorkerLogFiles({
    directory: logsDirectory,
    limit: config.workerLogLimit * MB,
    endpointLimit: config.endpointLogLimit * MB,
    retention: config.workerLogRetention,
    clock,
    log,
  });
  const output = onOutput === undefined ? workerLogs : outputWithListener(workerLogs, onOutput);
  let providers: Providers | undefined;
  const outbound = createOutbound({ clock, allow: parseNetworks(config.webhookAllow), version });
  const engine = await createEngine({
    server: data.server,
    store,
    clock,
    durations: config,
    workerLogs,
    chunkLimit: config.jobOutputLimit * MB,
    limits: accountLimits(config),
    log,
    meters,
    secrets: secretBox(secretKeys.keys),
    keepKeys: secretKeys.keep,
    randomFill: (bytes) => crypto.getRandomValues(bytes),
    webhookRefusal: outbound.refusal,
    starts: {
      refusal: (template) => providers?.of(template.imageName)?.refusal(template),
      runs: (imageName) => providers?.of(imageName) !== undefined,
      startsFrom,
    },
  });
  await refuseOtherKeys(engine, secretKeys.mismatch);
  // What a killed server left behind has ended before anything else runs.
  const here = { directory, boot: thisMachine.uptime()?.boot, output, clock, log };
  const processProvider = await openProcessProvider({ ...processes, ...here });
  providers = providersByImage(processProvider);
  await secretKeys.write();
  await data.confirm();
  const isFirstStart = engine.configuration.isUntouched();
  await createDefaultAccount(engine);
  if (isFirstStart && config.demo) await createDemo(engine);
  const deployment = await deploymentName(engine);
  const docker = { config, address, deployment, server: engine.server, output, clock, log };
  providers = providersByImage(processProvider, configuredDocker(docker));

  const publicUrl = (): string => (config.publicUrl === "" ? server.url : config.publicUrl);
  const workers = fleetWorkers(engine, providers, publicUrl);
  await workers.adopt();
  await deleteOrphanTokens(engine);
  await deleteOrphanReleases(engine);
  await ensureReleases(engine);
  const context = httpContext(engine, config, publicUrl);
  engine.peers?.onMore(() => context.rateLimiter.tellExcess());
  const routing = router(routes(context));
  await engine.peers?.join();
  // The last step that can fail: a key that is created is shown.
  const firstKey = config.adminKey === "" ? await createFirstKey(engine) : undefined;
  server.open(routing);
  const { leader, webhooks, running } = startBackgroundJobs(engine, {
    outbound,
    recordOf: (job) => recordBytes(engine, job),
    steer,
    tellLimits: () => context.rateLimiter.tellChanges(),
    ofLeader: [scaling(engine, workers)],
    ofEach: (isLeader) => [
      ...workerJobs(engine, workers, workerLogs, isLeader),
      ...keyJobs(engine, config.data === IN_MEMORY ? undefined : resolve(config.data)),
      diskSpaceJob(engine),
    ],
    onNotLeader: () => workers.endAll(),
  });
  meters.leads = leader.isLeader;

  const opened = opening.move();
  return {
    url: server.url,
    engine,
    firstKey,
    demo: engine.configuration.get("endpoint", DEMO)?.id,
    async stop() {
      stopEngine(engine);
      workerLogs.release();
      const begun = clock.now();
      await running.stop();
      const letGo = [
        atStop(log, "uses of keys", writeKeyUses(engine)),
        atStop(log, "leadership", leader.resign()),
      ];
      await inTime(engine, "what other servers need", STOP_LIMITS.letGo, Promise.all(letGo));
      // The server still listens: what a worker finishes in its grace is kept.
      const ending = Promise.all([workers.stop(), atStop(log, "webhooks", webhooks.stop())]);
      await inTime(engine, "workers", config.drainGrace + STOP_LIMITS.kill, ending);
      const left = config.drainGrace + STOP_LIMITS.answers - (clock.now() - begun);
      await server.stop(Math.min(STOP_GRACE, Math.max(SHORTEST_GRACE, left)));
      const last = [
        atStop(log, "statistics", engine.statistics.flush()),
        ...(engine.peers === undefined ? [] : [atStop(log, "peers", engine.peers.leave())]),
        workerLogs.close(),
      ];
      await inTime(engine, "statistics", STOP_LIMITS.last, Promise.all(last));
      if (config.data === IN_MEMORY) {
        for (const path of [directory, logsDirectory]) await removeDirectory(path, log);
      }
      await inTime(engine, "store", STOP_LIMITS.store, opened.disposeAsync());
      vitals.stop();
    },
  };
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
  return { processes: { commands, operatorEnvironment: process.env }, scaling: scaleJob };
}

/** Made when the first worker starts. */
function workersDirectory({ data }: Config): string {
  if (data === IN_MEMORY) return join(tmpdir(), `forebay-${crypto.randomUUID()}`);
  return join(resolve(data), "workers");
}
