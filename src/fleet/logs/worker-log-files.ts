import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import { isId } from "../../domain/ids.ts";
import type { Log, LogPiece, LogRead, WorkerLogs } from "../../domain/log.ts";
import type { OutputOfWorker, WorkerOutput } from "../worker-output.ts";
import { type LogRoom, logRoom } from "./log-room.ts";
import { type ReadBudget, readBudget } from "./output-limits.ts";
import { readLog } from "./read-log.ts";
import { WorkerLog } from "./worker-log.ts";

export interface WorkerLogFilesOptions {
  /** Has a directory for each endpoint, and in it one for each worker. */
  readonly directory: string;
  /** The limits for each worker, and for all workers of an endpoint together, bytes. */
  readonly limit: number;
  readonly endpointLimit: number;
  /** How long a log stays after its worker has ended, ms. */
  readonly retention: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WorkerLogFiles extends WorkerLogs, WorkerOutput {
  /** Deletes logs that are too old, too large together, or of deleted endpoints. */
  tidy(isEndpoint: (id: string) => boolean): Promise<void>;
  /** Ends all reads that follow a log, because the server stops. */
  release(): void;
  /** Writes everything that is not on the disk yet. */
  close(): Promise<void>;
}

/** Opens the logs of this server's workers, which are files. */
export async function openWorkerLogFiles(options: WorkerLogFilesOptions): Promise<WorkerLogFiles> {
  const files = new LogFiles(options);
  await files.load();
  return files;
}

class LogFiles implements WorkerLogFiles {
  readonly budget: ReadBudget;
  readonly #options: WorkerLogFilesOptions;
  readonly #room: LogRoom;
  /** By endpoint and worker. */
  readonly #logs = new Map<string, Map<string, WorkerLog>>();
  /** Bytes on the disk, by endpoint. */
  readonly #sizes = new Map<string, number>();
  readonly #releases = new Set<AbortController>();
  #isReleased = false;

  constructor(options: WorkerLogFilesOptions) {
    const { directory, clock, log } = options;
    this.#options = options;
    this.#room = logRoom(directory, clock, log);
    this.budget = readBudget(clock);
  }

  /** Loads what an earlier server has left. */
  async load(): Promise<void> {
    const { directory } = this.#options;
    for (const endpoint of await idsIn(directory)) {
      for (const worker of await idsIn(join(directory, endpoint)))
        await this.#create(endpoint, worker).load();
    }
  }

  has(endpoint: string, worker: string): boolean {
    return this.#find(endpoint, worker) !== undefined;
  }

  async *read(options: LogRead): AsyncGenerator<LogPiece> {
    const present = this.#find(options.endpoint, options.worker);
    if (present === undefined) return;
    const release = new AbortController();
    this.#releases.add(release);
    const signal = AbortSignal.any([
      release.signal,
      ...(options.signal === undefined ? [] : [options.signal]),
    ]);
    try {
      yield* readLog(present, { ...options, signal }, () => this.#isReleased);
    } finally {
      this.#releases.delete(release);
    }
  }

  of(endpoint: string, worker: string): OutputOfWorker {
    const present = this.#find(endpoint, worker) ?? this.#create(endpoint, worker);
    present.isOpen = true;
    return {
      line: (stream, line, at) => {
        present.add(at ?? new Date(this.#options.clock.now()).toISOString(), stream, line);
      },
      dropped: (lines) => present.drop(lines),
      lastAt: () => lastTime(present),
      end: () => void present.close(),
    };
  }

  async tidy(isEndpoint: (id: string) => boolean): Promise<void> {
    const before = this.#options.clock.now() - this.#options.retention;
    for (const [endpoint, own] of this.#logs) {
      for (const [worker, one] of own) {
        if (one.isWriting) continue;
        const isOld = !one.isOpen && one.grewAt < before;
        if (!isEndpoint(endpoint) || isOld) await this.#forget(endpoint, worker);
      }
      await this.#trim(endpoint);
    }
  }

  release(): void {
    this.#isReleased = true;
    for (const release of this.#releases) release.abort();
  }

  async close(): Promise<void> {
    const all = [...this.#logs.values()];
    await Promise.all(all.flatMap((own) => Array.from(own.values(), (one) => one.close())));
  }

  #find(endpoint: string, worker: string): WorkerLog | undefined {
    return this.#logs.get(endpoint)?.get(worker);
  }

  #create(endpoint: string, worker: string): WorkerLog {
    const { directory, limit, clock } = this.#options;
    const own = this.#logs.get(endpoint) ?? new Map<string, WorkerLog>();
    this.#logs.set(endpoint, own);
    const onSize = (change: number): void => {
      this.#sizes.set(endpoint, (this.#sizes.get(endpoint) ?? 0) + change);
    };
    const ownDirectory = join(directory, endpoint, worker);
    const created = new WorkerLog({ directory: ownDirectory, limit, clock, room: this.#room, onSize });
    own.set(worker, created);
    return created;
  }

  /** Logs of workers that have ended are cut first, the oldest before the others. */
  async #trim(endpoint: string): Promise<void> {
    const own = [...(this.#logs.get(endpoint)?.values() ?? [])];
    const byAge = own.toSorted((a, b) => Number(a.isOpen) - Number(b.isOpen) || a.grewAt - b.grewAt);
    const isOver = (): boolean => (this.#sizes.get(endpoint) ?? 0) > this.#options.endpointLimit;
    for (const one of byAge) {
      while (isOver() && one.size > 0 && !one.isWriting) await one.removeOldest();
    }
  }

  async #forget(endpoint: string, worker: string): Promise<void> {
    const own = this.#logs.get(endpoint);
    await own?.get(worker)?.forget();
    own?.delete(worker);
    if (own === undefined || own.size > 0) return;
    this.#logs.delete(endpoint);
    this.#sizes.delete(endpoint);
    await rm(join(this.#options.directory, endpoint), { recursive: true, force: true });
  }
}

/** How many of the last lines are searched for one that the worker printed. */
const LOOKED = 100;

async function lastTime(log: WorkerLog): Promise<string | undefined> {
  let text = "";
  const options = { endpoint: "", worker: "", tail: LOOKED };
  for await (const { lines } of readLog(log, options, () => true)) text += Buffer.from(lines).toString();
  const last = text
    .trimEnd()
    .split("\n")
    .findLast((line) => line.includes('"stream":"std'));
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
