import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import { isId } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import type { WorkerLogs } from "../../domain/worker-logs.ts";
import type { OutputOfWorker, WorkerOutput } from "../worker-output.ts";
import { logRoom } from "./log-room.ts";
import { readBudget } from "./read-budget.ts";
import { readLog } from "./read-log.ts";
import { WorkerLog } from "./worker-log.ts";

export interface WorkerLogFilesOptions {
  /** Holds a directory for each endpoint, and in it one for each worker. */
  readonly directory: string;
  /** Bytes for each worker, and for all workers of an endpoint together. */
  readonly limit: number;
  readonly endpointLimit: number;
  /** How long a log stays after its worker has ended, ms. */
  readonly retention: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WorkerLogFiles extends WorkerLogs, WorkerOutput {
  /** Removes logs that are too old, too large together, or of endpoints that are gone. */
  tidy(isEndpoint: (id: string) => boolean): Promise<void>;
  /** Whoever follows a log is told that it is over: the server stops. */
  release(): void;
  /** Writes what is not written yet. */
  close(): Promise<void>;
}

/** The logs of this server's workers, as files. */
export async function openWorkerLogFiles(options: WorkerLogFilesOptions): Promise<WorkerLogFiles> {
  const { directory, limit, endpointLimit, retention, clock, log } = options;
  const room = logRoom(directory, clock, log);
  /** By endpoint and worker. */
  const logs = new Map<string, Map<string, WorkerLog>>();
  const sizes = new Map<string, number>();
  const releases = new Set<AbortController>();
  let isReleased = false;

  function created(endpoint: string, worker: string): WorkerLog {
    const own = logs.get(endpoint) ?? new Map<string, WorkerLog>();
    logs.set(endpoint, own);
    const onSize = (change: number): void => void sizes.set(endpoint, (sizes.get(endpoint) ?? 0) + change);
    const made = new WorkerLog({ directory: join(directory, endpoint, worker), limit, clock, room, onSize });
    own.set(worker, made);
    return made;
  }

  const find = (endpoint: string, worker: string): WorkerLog | undefined => logs.get(endpoint)?.get(worker);

  for (const endpoint of await idsIn(directory)) {
    for (const worker of await idsIn(join(directory, endpoint))) await created(endpoint, worker).load();
  }

  /** Those whose workers have ended go first, the oldest before the others. */
  async function trim(endpoint: string): Promise<void> {
    const own = [...(logs.get(endpoint)?.values() ?? [])];
    const byAge = own.toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen) || a.grewAt - b.grewAt);
    for (const one of byAge) {
      while ((sizes.get(endpoint) ?? 0) > endpointLimit && one.size > 0 && !one.isWriting)
        await one.removeOldest();
    }
  }

  async function forget(endpoint: string, worker: string): Promise<void> {
    const own = logs.get(endpoint);
    await own?.get(worker)?.forget();
    own?.delete(worker);
    if (own === undefined || own.size > 0) return;
    logs.delete(endpoint);
    sizes.delete(endpoint);
    await rm(join(directory, endpoint), { recursive: true, force: true });
  }

  return {
    budget: readBudget(clock),
    has: (endpoint, worker) => find(endpoint, worker) !== undefined,

    async *read(wish) {
      const present = find(wish.endpoint, wish.worker);
      if (present === undefined) return;
      const release = new AbortController();
      releases.add(release);
      const signal = AbortSignal.any([release.signal, ...(wish.signal === undefined ? [] : [wish.signal])]);
      try {
        yield* readLog(present, { ...wish, signal }, () => isReleased);
      } finally {
        releases.delete(release);
      }
    },

    of(endpoint, worker): OutputOfWorker {
      const present = find(endpoint, worker) ?? created(endpoint, worker);
      present.isOpen = true;
      return {
        line(stream, line, at) {
          present.add(at ?? new Date(clock.now()).toISOString(), stream, line);
        },
        dropped: (lines) => present.drop(lines),
        lastAt: () => lastTime(present),
        end: () => void present.close(),
      };
    },

    async tidy(isEndpoint) {
      const before = clock.now() - retention;
      for (const [endpoint, own] of logs) {
        for (const [worker, one] of own) {
          if (one.isWriting) continue;
          if (!isEndpoint(endpoint) || (!one.isOpen && one.grewAt < before)) await forget(endpoint, worker);
        }
        await trim(endpoint);
      }
    },

    release() {
      isReleased = true;
      for (const release of releases) release.abort();
    },

    async close() {
      await Promise.all([...logs.values()].flatMap((own) => [...own.values()].map((one) => one.close())));
    },
  };
}

/** So many of the last lines are looked at for one that the worker printed. */
const LOOKED = 100;

async function lastTime(log: WorkerLog): Promise<string | undefined> {
  let text = "";
  const wish = { endpoint: "", worker: "", tail: LOOKED };
  for await (const piece of readLog(log, wish, () => true)) text += Buffer.from(piece).toString();
  const lines = text.trimEnd().split("\n");
  const last = lines.findLast((line) => line.includes('"stream":"std'));
  return last === undefined ? undefined : JSON.parse(last).time;
}

async function idsIn(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter(isId);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return [];
  }
}
