import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../package.json" with { type: "json" };
import { commitMarks } from "./commit-marks.ts";
import { type Config, IN_MEMORY } from "./config.ts";
import { configuredDocker } from "./configured-docker.ts";
import type { Clock } from "./domain/clock.ts";
import { ForebayError } from "./domain/errors.ts";
import { observe } from "./domain/histogram.ts";
import type { Log } from "./domain/log.ts";
import { FINE, newMeters } from "./domain/meters.ts";
import { askedDuty } from "./duties/asked.ts";
import { atStop } from "./duties/at-stop.ts";
import { deliverWebhooks } from "./duties/deliver-webhooks.ts";
import { deletedEndpointsDuty } from "./duties/deleted-endpoints.ts";
import { expireDuties } from "./duties/expire.ts";
import type { Duty } from "./duties/duty.ts";
import { type FleetWorkers, fleetWorkers } from "./duties/fleet-workers.ts";
import { keyUsesDuty } from "./duties/key-uses.ts";
import { goneServersDuties } from "./duties/gone-servers.ts";
import { offerDuty } from "./duties/offer.ts";
import { oneServerAlone } from "./duties/one-server-alone.ts";
import { runDuties } from "./duties/run-duties.ts";
import { settleDuty } from "./duties/settle.ts";
import { forgetStatisticsDuty, statisticsDuty } from "./duties/statistics.ts";
import { sharedDataDuties } from "./duties/shared-data.ts";
import { scaleDuty } from "./duties/scale.ts";
import { tidyLogsDuty } from "./duties/tidy-logs.ts";
import { tidyDuty } from "./duties/tidy.ts";
import { createEngine } from "./engine/create-engine.ts";
import type { Engine } from "./engine/engine.ts";
import { stopEngine } from "./engine/stop-engine.ts";
import { digestOf } from "./engine/digest.ts";
import { createCommandEndpoint } from "./engine/records/command-endpoint.ts";
import { createDefaultAccount } from "./engine/records/accounts.ts";
import { deploymentName } from "./engine/records/deployment.ts";
import { createFirstKey } from "./engine/records/keys.ts";
import { writeKeyUses } from "./engine/records/key-uses.ts";
import { deleteOrphanReleases, ensureReleases } from "./engine/records/releases.ts";
import { deleteOrphanTokens } from "./engine/records/worker-tokens.ts";
import { secretBox } from "./engine/secret-box.ts";
import { toldOutput } from "./fleet/logs/told-output.ts";
import { openWorkerLogFiles } from "./fleet/logs/worker-log-files.ts";
import { loadCommands } from "./fleet/process/commands.ts";
import { openProcessProvider, type ProcessProviderOptions } from "./fleet/process/process-provider.ts";
import { removeDirectory } from "./fleet/process/remove-directory.ts";
import { type Providers, providersByImage } from "./fleet/providers.ts";
import { startsFrom } from "./fleet/starts-from.ts";
import { MB } from "./http/body.ts";
import { httpContext } from "./http/context.ts";
import { recordBytes } from "./http/present/record.ts";
import { router } from "./http/router.ts";
import { routes } from "./http/routes.ts";
import { type HttpServer, serveHttp } from "./http/server.ts";
import { createOutbound } from "./outbound/create-outbound.ts";
import { parseNetworks } from "./outbound/network.ts";
import { processVitals } from "./process-vitals.ts";
import { loadServerId } from "./server-id.ts";
import { loadSecretKeys } from "./secret-key.ts";
import { openStore } from "./store/open-store.ts";
import type { Store } from "./store/store.ts";
import { steeredClock, systemClock } from "./system-clock.ts";
import { timeAtStart } from "./time-at-start.ts";

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

/** The workers that a server starts: as which processes, and whose duty it is to say when. */
export interface Fleet {
  readonly processes: Omit<ProcessProviderOptions, "directory" | "output" | "clock" | "log">;
  /** Called with each line that a worker prints; it is kept as well. */
  readonly onOutput?: (line: string) => void;
  readonly duty: (engine: Engine, workers: FleetWorkers) => Duty;
}

/** Requests still open this long after the stop are cut, ms. */
const STOP_GRACE = 3_000;

/** The endpoint that answers the first call of a new user. */
const DEMO = "hello";

/** The command of the example worker, which is there without being registered. */
const EXAMPLE = fileURLToPath(new URL("../examples/hello/worker.ts", import.meta.url));

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
  const onCommit = commitMarks(config.commitMarksFd);
  const { processes, duty, onOutput } = fleet ?? (await registeredCommands(config));
  const { keys, keep: keepKeys } = await loadSecretKeys(config);
  const vitals = processVitals();
  const meters = newMeters(vitals);
  const store = await openStore({
    databaseUrl: config.databaseUrl,
    databaseListenUrl: config.databaseListenUrl,
    directory: config.data === IN_MEMORY ? undefined : config.data,
    keyDigests: keys.map(digestOf),
    log,
    onCommit,
    onTransaction() {
      const took = vitals.stopwatch();
      return (steps) => {
        observe(meters.commits, took() * FINE);
        observe(meters.steps, steps);
      };
    },
    onFatal(error) {
      log.error("the disk can no longer be trusted: ending, to recover from what is durable", {
        error: String(error),
      });
      process.exit(70);
    },
  });
  const { clock, steer } = await clockOf(config, log, store, givenClock);
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
  const output = onOutput === undefined ? workerLogs : toldOutput(workerLogs, onOutput);
  // What a killed server left behind has ended before anything else runs.
  const processProvider = await openProcessProvider({ ...processes, directory, output, clock, log });
  let providers: Providers = providersByImage(processProvider);
  const outbound = createOutbound({ clock, allow: parseNetworks(config.webhookAllow), version });
  const engine = await createEngine({
    server: await loadServerId(config),
    store,
    clock,
    durations: config,
    workerLogs,
    chunkLimit: config.jobOutputLimit * MB,
    log,
    meters,
    secrets: secretBox(keys),
    keepKeys,
    randomFill: (bytes) => crypto.getRandomValues(bytes),
    refusal: (template) => providers.of(template.imageName)?.refusal(template),
    webhookRefusal: outbound.refusal,
    runs: (imageName) => providers.of(imageName) !== undefined,
    startsFrom,
  });
  const isFirstStart = engine.configuration.isUntouched();
  await createDefaultAccount(engine);
  const firstKey = config.adminKey === "" ? await createFirstKey(engine) : undefined;
  const deployment = await deploymentName(engine);
  const docker = await configuredDocker({ config, deployment, server: engine.server, output, clock, log });
  providers = providersByImage(processProvider, docker);
  if (isFirstStart && config.demo) await createDemo(engine);

  const publicUrl = (): string => (config.publicUrl === "" ? server.url : config.publicUrl);
  const workers = fleetWorkers(engine, providers, publicUrl);
  await workers.adopt();
  await deleteOrphanTokens(engine);
  await deleteOrphanReleases(engine);
  await ensureReleases(engine);
  const context = httpContext(engine, config, publicUrl);
  engine.peers?.onMore(() => context.rateLimiter.tellExcess());
  await engine.peers?.join();
  const server: HttpServer = serveHttp({
    host: config.host,
    port: config.port,
    router: router(routes(context)),
    log,
    meters,
    smallBodyTime: config.smallBodyTime,
    restTime: config.restTime,
  });
  const forAll = [
    ...expireDuties(engine),
    ...goneServersDuties(engine),
    deletedEndpointsDuty(engine),
    forgetStatisticsDuty(engine),
    duty(engine, workers),
  ];
  const alone = oneServerAlone(engine, forAll, () => workers.endAll());
  meters.leads = alone.isHeld;
  const webhooks = deliverWebhooks(engine, outbound, (job) => recordBytes(engine, job));
  const duties = runDuties(engine, [
    offerDuty(engine),
    webhooks.duty,
    settleDuty(workers, () => !alone.isHeld()),
    tidyDuty(workers),
    askedDuty(engine, workers),
    tidyLogsDuty(engine, workerLogs),
    keyUsesDuty(engine),
    statisticsDuty(engine),
    ...sharedDataDuties(engine, { steer, tellLimits: () => context.rateLimiter.tellChanges() }),
    ...alone.duties,
  ]);

  return {
    url: server.url,
    engine,
    firstKey,
    demo: engine.configuration.get("endpoint", DEMO)?.id,
    async stop() {
      stopEngine(engine);
      workerLogs.release();
      await duties.stop();
      await atStop(log, "uses of keys", writeKeyUses(engine));
      await atStop(log, "duties for all", alone.letGo());
      // The server still listens: what a worker finishes in its grace is kept.
      await Promise.all([workers.stop(), atStop(log, "webhooks", webhooks.stop())]);
      await server.stop(STOP_GRACE);
      await atStop(log, "statistics", engine.statistics.flush());
      if (engine.peers !== undefined) await atStop(log, "peers", engine.peers.leave());
      await workerLogs.close();
      if (config.data === IN_MEMORY) {
        for (const path of [directory, logsDirectory]) await removeDirectory(path, log);
      }
      await store.close();
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
  const example: [string, string[]] = [DEMO, [process.execPath, EXAMPLE]];
  const registered = config.commands === "" ? [] : await loadCommands(config.commands);
  const commands = new Map([example, ...registered]);
  return { processes: { commands, operatorEnvironment: process.env }, duty: scaleDuty };
}

interface OwnClock {
  readonly clock: Clock;
  readonly steer: (now: number) => void;
}

/** Servers that share data go by the clock of its database, another one by its own. */
async function clockOf(config: Config, log: Log, store: Store, given: Clock | undefined): Promise<OwnClock> {
  const unsteered = { steer: () => undefined };
  if (given !== undefined) return { clock: given, ...unsteered };
  const notBefore = await store.latestTime();
  if (store.shared === undefined) {
    const file = config.data === IN_MEMORY ? undefined : join(resolve(config.data), "boot-time");
    return { clock: systemClock(await timeAtStart({ file, notBefore, log })), ...unsteered };
  }
  const clock = steeredClock(Math.max(notBefore, await store.shared.time()));
  // What is written from now on must not look as old as the last step before a long rest.
  await store.apply([], clock.now());
  return { clock, steer: clock.steer };
}

/** Made when the first worker starts. */
function workersDirectory({ data }: Config): string {
  if (data === IN_MEMORY) return join(tmpdir(), `forebay-${crypto.randomUUID()}`);
  return join(resolve(data), "workers");
}
