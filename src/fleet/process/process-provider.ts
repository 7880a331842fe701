import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { lineAllowance } from "../logs/output-limits.ts";
import { type LineSplitter, lineSplitter, readOutput } from "../logs/line-splitter.ts";
import { LAST_LINES, type Provider, StartFault, type WorkerExit, type WorkerOrder } from "../provider.ts";
import { machineVariables } from "../worker-machine.ts";
import type { OutputOfWorker, OutputStream, WorkerOutput } from "../worker-output.ts";
import type { Commands } from "./commands.ts";
import { endLeftOvers, removeDirectory, removeGroupOf } from "./left-overs.ts";
import { argvOf, processEnvironment, processMachine, refusalOf } from "./process-command.ts";
import { markPrefix, placeOf } from "./process-mark.ts";
import { type StartedProcess, startProcess } from "./start-process.ts";
import {
  cgroupOf,
  createCgroup,
  type LimitedProcesses,
  memoryEnd,
  type WorkerCgroup,
} from "./worker-cgroup.ts";

export interface ProcessProviderOptions {
  /** Has a directory for each worker, from before its start until after its end. */
  readonly directory: string;
  readonly commands: Commands;
  /** The server's own environment. */
  readonly operatorEnvironment: Readonly<Record<string, string | undefined>>;
  /** Names of its variables that workers get; by default three. */
  readonly passedOn?: readonly string[];
  /** The working directory of all workers; without it each has an empty one of its own. */
  readonly workingDirectory?: string;
  /** Undefined: workers have no limits. */
  readonly limited?: LimitedProcesses | undefined;
  /** Names this boot of the machine; undefined if the machine does not tell. */
  readonly boot: string | undefined;
  readonly output: WorkerOutput;
  readonly clock: Clock;
  readonly log: Log;
}

interface RunningWorker {
  readonly process: StartedProcess;
  /** Resolves when nothing of it is left, not even on the disk. */
  readonly gone: Promise<void>;
  isTerminated: boolean;
}

interface StartedWorkerProcess {
  readonly process: StartedProcess;
  /** Undefined: it has no limits. */
  readonly cgroup: WorkerCgroup | undefined;
  /** The last lines that it has printed so far. */
  readonly lastLines: readonly string[];
  /** Where its output goes. */
  readonly output: OutputOfWorker;
}

/**
 * Runs workers as processes of this machine, from commands that the operator registered. It first ends what a
 * killed server left behind.
 */
export async function openProcessProvider(options: ProcessProviderOptions): Promise<Provider> {
  const { directory, commands, boot, clock, log } = options;
  const running = new Map<string, RunningWorker>();
  const starting = new Map<string, Promise<void>>();
  let onExit: (exit: WorkerExit) => void = () => undefined;
  await endLeftOvers({ directory, boot, clock, log });

  async function clearUp({ worker }: WorkerOrder, started: StartedWorkerProcess): Promise<void> {
    const how = await endOf(worker, started, options);
    running.delete(worker);
    onExit({ worker, how, lastLines: started.lastLines });
    await removeDirectory(join(directory, worker), log);
  }

  async function start(order: WorkerOrder): Promise<void> {
    const started = await startWorker(options, order);
    const gone = clearUp(order, started).finally(() => started.output.end());
    running.set(order.worker, { process: started.process, gone, isTerminated: false });
  }

  return {
    name: "process",
    outlivesServer: false,

    refusal: (template) => refusalOf(template, commands),
    hasImage: async () => true,

    async start(order) {
      const started = start(order);
      starting.set(
        order.worker,
        started.catch(() => undefined),
      );
      await started.finally(() => starting.delete(order.worker));
      return { pinnedImage: undefined };
    },

    async stop(worker, grace) {
      await starting.get(worker);
      const present = running.get(worker);
      if (present === undefined) return;
      if (!present.isTerminated) present.process.terminate();
      present.isTerminated = true;
      const cancel = clock.after(grace, () => present.process.kill());
      await present.gone;
      cancel();
    },

    list: async () => [...running.keys()],

    onExit(listener) {
      onExit = listener;
    },

    // Each worker has a directory of its own, which is deleted with it.
    kept: async () => [],
    forget: async () => undefined,
    close: async () => undefined,
  };
}

/** Starts the process of a worker. Throws StartFault; nothing of the worker is left then. */
async function startWorker(
  options: ProcessProviderOptions,
  order: WorkerOrder,
): Promise<StartedWorkerProcess> {
  const { directory, commands, operatorEnvironment, passedOn, limited, boot, output, clock, log } = options;
  const { worker, template } = order;
  const argv = argvOf(template, commands);
  const ownDirectory = join(directory, worker, "work");
  const own = output.of(order.endpoint, worker);
  const lastLines: string[] = [];
  const splitter = splittersFor(own, lastLines, clock);
  const cgroup = cgroupOf(limited, order);
  try {
    await mkdir(ownDirectory, { recursive: true, mode: 0o700 });
    const place = await placeOf(directory, boot);
    if (cgroup !== undefined) await createCgroup(cgroup, { directory: join(directory, worker), place });
    const process = await startProcess({
      argv,
      workingDirectory: options.workingDirectory ?? ownDirectory,
      environment: {
        ...processEnvironment(order, operatorEnvironment, passedOn),
        ...machineVariables(processMachine(order, limited?.limits)),
      },
      markPrefix: join(directory, worker, markPrefix(place)),
      cgroup: cgroup?.path,
      onOutput: (stream, printed) => readOutput(printed, splitter(stream), output.budget, clock),
      clock,
    });
    return { process, cgroup, lastLines, output: own };
  } catch (error) {
    own.end();
    if (cgroup !== undefined) await removeGroupOf(worker, cgroup.path, clock, log);
    await removeDirectory(join(directory, worker), log);
    throw faultOf(error);
  }
}

/** How the worker ended. By then nothing of its control group is left. */
async function endOf(
  worker: string,
  { process, cgroup }: StartedWorkerProcess,
  { clock, log }: ProcessProviderOptions,
): Promise<string> {
  const ended = await process.ended;
  if (cgroup === undefined) return ended;
  const forMemory = await memoryEnd(cgroup);
  await removeGroupOf(worker, cgroup.path, clock, log);
  return forMemory ?? ended;
}

/** Splits both streams of a worker into lines. They share one allowance. */
function splittersFor(
  own: OutputOfWorker,
  lastLines: string[],
  clock: Clock,
): (stream: OutputStream) => LineSplitter {
  const allowance = lineAllowance(clock);
  return (stream) =>
    lineSplitter({
      allowance,
      onDropped: own.dropped,
      onLine(line) {
        own.line(stream, line);
        lastLines.push(line);
        if (lastLines.length > LAST_LINES) lastLines.shift();
      },
    });
}

/** A refusal by the system, such as an environment that is too large or one process too many, has a code. */
function faultOf(error: unknown): unknown {
  const code = errorCode(error);
  return code === "" ? error : new StartFault(`The system cannot start the process: ${code}.`);
}
