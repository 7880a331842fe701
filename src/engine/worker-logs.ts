import { ForebayError } from "../domain/errors.ts";
import type { LogPiece, LogRead, WorkerLogs } from "../domain/log.ts";
import { tokenIdOf } from "../domain/worker.ts";
import { workerNotFound } from "./ask-worker.ts";
import type { WithPeers } from "./peers.ts";
import type { WithConfiguration } from "./records/configuration.ts";
import type { StoreAccess, WithServer } from "./verb-needs.ts";

/** Output at the end of a job can be read a little after the end, and has the time of another clock. ms. */
const MARGIN = 1_000;

/** What finding the server with the log of a worker needs. */
type LogPlaces = WithConfiguration & WithPeers & WithServer;

/** What reading the logs of workers needs. */
export interface LogAccess extends LogPlaces {
  /** The logs of the workers that this server started. */
  readonly workerLogs: WorkerLogs;
}

/** The log of a worker, and with `follow` its new lines. Throws WORKER_NOT_FOUND and NO_LOGS. */
export function workerLogs(engine: LogAccess, wish: LogRead): AsyncIterable<Uint8Array> {
  return linesOf(workerLogPieces(engine, wish));
}

/** The same with the places of the lines. */
export function workerLogPieces(engine: LogAccess, wish: LogRead): AsyncIterable<LogPiece> {
  const { endpoint, worker } = wish;
  if (!engine.workerLogs.has(endpoint, worker)) refuse(engine, endpoint, worker);
  return engine.workerLogs.read(wish);
}

export interface JobLogs {
  readonly worker: string;
  readonly lines: AsyncIterable<Uint8Array>;
}

/** The log of the last attempt's worker between hand-out and end. Throws JOB_NOT_FOUND and NO_LOGS. */
export async function jobLogs(
  engine: LogAccess & StoreAccess,
  endpoint: string,
  id: string,
): Promise<JobLogs> {
  const job = await engine.store.job(endpoint, id);
  if (job === undefined) throw new ForebayError("JOB_NOT_FOUND", `There is no job ${id}.`);
  const { worker, takenAt, endedAt } = job;
  if (worker === undefined || takenAt === undefined) {
    throw new ForebayError("NO_LOGS", `There are no logs of job ${id}: no worker has received it yet.`);
  }
  const until = endedAt === undefined ? undefined : endedAt + MARGIN;
  return { worker, lines: workerLogs(engine, { endpoint, worker, since: takenAt - MARGIN, until }) };
}

async function* linesOf(pieces: AsyncIterable<LogPiece>): AsyncGenerator<Uint8Array> {
  for await (const { lines } of pieces) if (lines.length > 0) yield lines;
}

/** Throws an error that says where the log is, as far as that is known. */
function refuse({ configuration, peers, server }: LogPlaces, endpoint: string, worker: string): never {
  const token = configuration.get("worker", worker) ?? configuration.get("worker", tokenIdOf(worker));
  const machines = peers?.machines() ?? new Map<string, string>();
  if (token?.endpoint === endpoint && !token.managed) {
    throw noLogs(
      `Forebay did not start worker ${worker}, so it does not have its logs. Read them where it runs.`,
    );
  }
  if (token?.endpoint === endpoint && token.server !== undefined && token.server !== server) {
    const machine = machines.get(token.server);
    const where = machine === undefined ? "which does not answer" : `on ${machine}`;
    throw noLogs(`The logs of worker ${worker} are on server ${token.server}, ${where}. Ask that server.`);
  }
  if (token?.endpoint === endpoint) throw noLogs(`Worker ${worker} has not started yet.`);
  if (machines.size === 0) throw workerNotFound(worker);
  const others = [...machines].map(([name, machine]) => `${name} on ${machine}`).join(", ");
  throw noLogs(
    `This server, ${server}, has no logs of worker ${worker}. The server that started it keeps them for a ` +
      `while. Ask one of ${others}.`,
  );
}

function noLogs(sentence: string): ForebayError {
  return new ForebayError("NO_LOGS", sentence);
}
