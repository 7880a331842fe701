/** What lets a worker speak for an endpoint. Only the SHA-256 of the token is kept. */
export interface WorkerToken {
  readonly id: string;
  readonly account: string;
  readonly endpoint: string;
  /** One token for any number of workers, told apart by the id in the path of their calls. */
  readonly many: boolean;
  /** Forebay starts and stops the worker itself. */
  readonly managed: boolean;
  /** The server that started it; undefined for others, and for those from before there was more than one. */
  readonly server?: string | undefined;
  /** With what it was started; undefined for others, and for processes from before there was more. */
  readonly provider?: string | undefined;
  /** From which template it was started; undefined for others, and for those from before this was kept. */
  readonly template?: string | undefined;
  /** Since when it runs, as a time of the server; undefined for others, and while it does not run yet. */
  readonly runsSince?: number | undefined;
  /** How long its image was fetched before that, ms; undefined where it was there already. */
  readonly pullMs?: number | undefined;
  /** When Forebay asked for its start, ms since 1970; undefined for others, and for those from before. */
  readonly startedAt?: number | undefined;
  /** What somebody has asked for; the server that started the worker does it. */
  readonly asked?: "stop" | "replace" | undefined;
  /** SHA-256 of the token in hexadecimal. */
  readonly digest: string;
}

/** How it can be with a worker. */
export const WORKER_STATES = [
  /** Forebay has started it, or it was admitted, and it has not called yet. */
  "INITIALIZING",
  /** It waits for a job. */
  "IDLE",
  /** It has a job. */
  "RUNNING",
  /** It is of another version than the one that is to run, and works until a new one has come for it. */
  "OUTDATED",
  /** It gets no more jobs, and ends. */
  "DRAINING",
  /** It has called, and is silent for longer than its lease. */
  "UNHEALTHY",
] as const;

export type WorkerState = (typeof WORKER_STATES)[number];

/** A worker of an endpoint as every server on the data sees it. */
export interface WorkerView {
  readonly id: string;
  readonly state: WorkerState;
  /** Why it is UNHEALTHY; undefined in any other state. */
  readonly reason: string | undefined;
  /** Forebay starts and stops it. */
  readonly managed: boolean;
  /** With what Forebay started it; undefined for others. */
  readonly provider: string | undefined;
  /** Ids of the jobs that it has. */
  readonly jobs: readonly string[];
  /** When Forebay asked for its start; undefined for others. */
  readonly startedAt: number | undefined;
  /** When it last called, up to a second before it; undefined while it has not. */
  readonly lastContact: number | undefined;
  /** It has a token of its own, or has pinged: Forebay soon notices if it dies. */
  readonly heartbeats: boolean;
  /** The release that Forebay started it from; undefined for others. */
  readonly version: number | undefined;
}

/** One worker as its calls show it: the token, and for a token of many the id in the path. */
export interface WorkerIdentity {
  readonly endpoint: string;
  /** Unique within the endpoint; the `workerId` of the records of its jobs. */
  readonly id: string;
  /**
   * It shares its token with others. Without an id in its environment a worker of the public SDK never pings,
   * so such a worker counts as silent until it has pinged (decision 0033).
   */
  readonly sharesToken: boolean;
}

/** Stands between the id of a token of many and what a worker adds to it; no id of a token has one. */
const SEPARATOR = "-";

/** A token of many workers is part of the name, so that none can speak as a worker of another token. */
export function workerOf(token: WorkerToken, idInPath: string): WorkerIdentity {
  return {
    endpoint: token.endpoint,
    id: token.many ? `${token.id}${SEPARATOR}${idInPath}` : token.id,
    sharesToken: token.many,
  };
}

/** The id of the token by which the worker with this id speaks. */
export function tokenIdOf(worker: string): string {
  const [token = ""] = worker.split(SEPARATOR, 1);
  return token;
}

/** Stands in the id of a worker that Forebay starts, before its version; in no other id of a token. */
const VERSION_MARK = "_";

/** The end of the id of a worker of this version (decision 0023). */
export function versionEnding(version: number): string {
  return `${VERSION_MARK}${version}`;
}

/**
 * The version of its endpoint's release that the worker with this id was started from; undefined for one that
 * Forebay did not start, or that is from before there were releases.
 */
export function versionOf(worker: string): number | undefined {
  const [, version] = tokenIdOf(worker).split(VERSION_MARK, 2);
  return version === undefined ? undefined : Number(version);
}
