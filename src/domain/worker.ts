/** What a worker has of the cores and the memory of its host; undefined: it has no limit. */
export interface WorkerAmounts {
  readonly cores?: number | undefined;
  /** MiB. */
  readonly memoryMb?: number | undefined;
}

/** The GPUs that each worker gets, all of one model. */
export interface WantedGpus {
  readonly count: number;
  /** The types that a worker accepts, as clients name them, the preferred one first; undefined: any card. */
  readonly types?: readonly string[] | undefined;
}

/** A GPU, or a slice of one, that a worker has for itself. */
export interface WorkerGpu {
  readonly uuid: string;
  /** The driver's name of the model, such as `NVIDIA L40S`. */
  readonly name: string;
}

/** Where a worker runs that Forebay started. */
export interface WorkerPlace {
  /** The name of the host. */
  readonly host: string;
  /** Empty: it has none. */
  readonly gpus: readonly WorkerGpu[];
}

/** The token of a worker for an endpoint. Only its SHA-256 is stored. */
export interface WorkerToken {
  readonly id: string;
  readonly account: string;
  readonly endpoint: string;
  /** Whether any number of workers share the token. The id in the path of a call tells them apart. */
  readonly many: boolean;
  /** Whether Forebay starts and stops the worker. */
  readonly managed: boolean;
  /**
   * The server that started it; undefined if Forebay did not start it, or before there could be several
   * servers.
   */
  readonly server?: string | undefined;
  /**
   * The provider that started it; undefined if Forebay did not start it, and for processes of the first
   * versions.
   */
  readonly provider?: string | undefined;
  /** The name of the host where it runs; undefined where `hostOf` (host.ts) tells it by the provider. */
  readonly host?: string | undefined;
  /**
   * The template from which it was started; undefined if Forebay did not start it, and for the first
   * versions.
   */
  readonly template?: string | undefined;
  /**
   * When it began to run, by the clock of the server; undefined if Forebay did not start it, and before it
   * runs.
   */
  readonly runsSince?: number | undefined;
  /** How long its image was pulled before that, ms; undefined if it was already there. */
  readonly pullMs?: number | undefined;
  /**
   * When Forebay requested its start, ms since 1970; undefined if Forebay did not start it, and for the first
   * versions.
   */
  readonly startedAt?: number | undefined;
  /**
   * What it has of its host's cores and memory (MiB), as far as it is limited; undefined if Forebay did not
   * start it, and for earlier versions.
   */
  readonly amounts?: WorkerAmounts | undefined;
  /** Its GPUs, as they were called when it got them; undefined if it has none. The ledger has their UUIDs. */
  readonly gpus?: readonly WorkerGpu[] | undefined;
  /**
   * Since when it counts as lost, because its host does not answer: its calls are refused, and it keeps its
   * GPUs until the host answers or is deleted.
   */
  readonly lostAt?: number | undefined;
  /** What a client has requested. The server that started the worker does it. */
  readonly asked?: "stop" | "replace" | undefined;
  /** SHA-256 of the token in hexadecimal. */
  readonly digest: string;
}

/** The state of a worker. */
export const WORKER_STATES = [
  /** It was started, or has a token, and has not called yet. */
  "INITIALIZING",
  /** It has no job. */
  "IDLE",
  /** It has a job. */
  "RUNNING",
  /** A release replaces it. It works until a new worker is there. */
  "OUTDATED",
  /** It gets no more jobs and is ending. */
  "DRAINING",
  /** It has called, and has been silent for longer than its lease. */
  "UNHEALTHY",
] as const;

export type WorkerState = (typeof WORKER_STATES)[number];

/** A worker of an endpoint, as every server with the data sees it. */
export interface WorkerView {
  readonly id: string;
  readonly state: WorkerState;
  /** Why it is UNHEALTHY; undefined in other states. */
  readonly reason: string | undefined;
  /** Whether Forebay starts and stops it. */
  readonly managed: boolean;
  /** The provider that started it; undefined if Forebay did not. */
  readonly provider: string | undefined;
  /** The name of the host where it runs; undefined if Forebay did not start it. */
  readonly host: string | undefined;
  /** Ids of its jobs. */
  readonly jobs: readonly string[];
  /** When Forebay requested its start; undefined if it did not. */
  readonly startedAt: number | undefined;
  /** When it last called, or up to a second before that; undefined if it has not called. */
  readonly lastContact: number | undefined;
  /** Whether it has a token of its own, or has pinged: then Forebay soon notices if it dies. */
  readonly heartbeats: boolean;
  /** The release from which Forebay started it; undefined if it did not. */
  readonly version: number | undefined;
}

/** The identity of a worker in its calls: the token, and for a shared token the id in the path. */
export interface WorkerIdentity {
  readonly endpoint: string;
  /** Unique within the endpoint; the `workerId` of the records of its jobs. */
  readonly id: string;
  /**
   * Whether it shares its token with others. A worker of the public SDK without an id in its environment
   * never pings, so it counts as silent until it has pinged (decision 0033).
   */
  readonly sharesToken: boolean;
}

/** Separates the id of a shared token and the id that a worker adds. No id of a token has this character. */
const SEPARATOR = "-";

/**
 * The id of a worker with a shared token includes the token, so that no worker can use the id of a worker
 * with another token.
 */
export function workerOf(token: WorkerToken, idInPath: string): WorkerIdentity {
  return {
    endpoint: token.endpoint,
    id: token.many ? `${token.id}${SEPARATOR}${idInPath}` : token.id,
    sharesToken: token.many,
  };
}

/** The id of the token of the worker with this id. */
export function tokenIdOf(worker: string): string {
  const [token = ""] = worker.split(SEPARATOR, 1);
  return token;
}

/** Comes before the version in the id of a worker that Forebay started. No other id of a token has it. */
const VERSION_MARK = "_";

/** The end of the id of a worker with this version (decision 0023). */
export function versionEnding(version: number): string {
  return `${VERSION_MARK}${version}`;
}

/**
 * The version of the release from which the worker with this id was started; undefined if Forebay did not
 * start it, or before there were releases.
 */
export function versionOf(worker: string): number | undefined {
  const [, version] = tokenIdOf(worker).split(VERSION_MARK, 2);
  return version === undefined ? undefined : Number(version);
}
