import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { commitMarks } from "./commit-marks.ts";
import { type Config, IN_MEMORY } from "./config.ts";
import type { Clock } from "./domain/clock.ts";
import type { Log } from "./domain/log.ts";
import { expireDuties } from "./duties/expire.ts";
import type { Duty } from "./duties/duty.ts";
import { type FleetWorkers, fleetWorkers } from "./duties/fleet-workers.ts";
import { runDuties } from "./duties/run-duties.ts";
import { scaleDuty } from "./duties/scale.ts";
import { createEngine, type Engine } from "./engine/engine.ts";
import { stopEngine } from "./engine/stop-engine.ts";
import { createCommandEndpoint } from "./engine/records/command-endpoint.ts";
import { createFirstKey } from "./engine/records/keys.ts";
import { deleteOrphanTokens } from "./engine/records/worker-tokens.ts";
import { secretBox } from "./engine/secret-box.ts";
import { loadCommands } from "./fleet/process/commands.ts";
import { openProcessProvider, type ProcessProviderOptions } from "./fleet/process/process-provider.ts";
import { removeDirectory } from "./fleet/process/remove-directory.ts";
import { httpContext } from "./http/context.ts";
import { router } from "./http/router.ts";
import { routes } from "./http/routes.ts";
import { type HttpServer, serveHttp } from "./http/server.ts";
import { loadSecretKey } from "./secret-key.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import { systemClock } from "./system-clock.ts";
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
  readonly processes: Omit<ProcessProviderOptions, "directory" | "clock" | "log">;
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
  const { processes, duty } = fleet ?? (await registeredCommands(config));
  const store = await openSqliteStore({
    directory: config.data === IN_MEMORY ? undefined : config.data,
    onCommit,
    onFatal(error) {
      log.error("the disk can no longer be trusted: ending, to recover from what is durable", {
        error: String(error),
      });
      process.exit(70);
    },
  });
  const clock = givenClock ?? (await clockOf(config, log, await store.latestTime()));
  const directory = workersDirectory(config);
  // What a killed server left behind has ended before anything else runs.
  const provider = await openProcessProvider({
    ...processes,
    directory,
    clock,
    log,
  });
  const engine = await createEngine({
    store,
    clock,
    durations: config,
    log,
    secrets: secretBox(await loadSecretKey(config)),
    randomFill: (bytes) => crypto.getRandomValues(bytes),
    refusal: provider.refusal,
  });
  const isFirstStart = engine.configuration.isUntouched();
  const firstKey = config.adminKey === "" ? await createFirstKey(engine) : undefined;
  if (isFirstStart && config.demo) await createCommandEndpoint(engine, DEMO);

  const publicUrl = (): string => (config.publicUrl === "" ? server.url : config.publicUrl);
  const workers = fleetWorkers(engine, provider, publicUrl);
  await workers.adopt();
  await deleteOrphanTokens(engine);
  const context = httpContext(engine, config, publicUrl);
  const server: HttpServer = serveHttp({
    host: config.host,
    port: config.port,
    router: router(routes(context)),
    log,
    smallBodyTime: config.smallBodyTime,
    restTime: config.restTime,
  });
  const duties = runDuties(engine, [...expireDuties(engine), duty(engine, workers)]);

  return {
    url: server.url,
    engine,
    firstKey,
    demo: engine.configuration.get("endpoint", DEMO)?.id,
    async stop() {
      stopEngine(engine);
      await duties.stop();
      // The server still listens: what a worker finishes in its grace is kept.
      await workers.stop();
      await server.stop(STOP_GRACE);
      if (config.data === IN_MEMORY) await removeDirectory(directory, log);
      await store.close();
    },
  };
}

async function registeredCommands(config: Config): Promise<Fleet> {
  const example: [string, string[]] = [DEMO, [process.execPath, EXAMPLE]];
  const registered = config.commands === "" ? [] : await loadCommands(config.commands);
  const commands = new Map([example, ...registered]);
  return { processes: { commands, operatorEnvironment: process.env }, duty: scaleDuty };
}

async function clockOf({ data }: Config, log: Log, notBefore: number): Promise<Clock> {
  const file = data === IN_MEMORY ? undefined : join(resolve(data), "boot-time");
  return systemClock(await timeAtStart({ file, notBefore, log }));
}

/** Made when the first worker starts. */
function workersDirectory({ data }: Config): string {
  if (data === IN_MEMORY) return join(tmpdir(), `forebay-${crypto.randomUUID()}`);
  return join(resolve(data), "workers");
}
