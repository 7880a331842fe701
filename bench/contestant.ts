/** A process or group of processes whose use of the machine can be read. */
export interface Measured {
  /** CPU time so far, in microseconds. */
  cpu(): number;
  /** MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** A queue under test. Each measurement starts it anew, on empty data. */
export interface Contestant {
  readonly name: string;
  /** Why it cannot take part, if so. Builds what it requires. */
  readonly missing?: () => string | undefined;
  /** What part of the jobs of a measurement it runs; 1 by default. Slow peers get less than all. */
  readonly share?: number;
  /** Not Forebay. */
  readonly isPeer?: boolean;
  /** The peer of which this is one setting, if others are measured, too. */
  readonly settingOf?: string;
  /** Its workers announce each of these total numbers of jobs. */
  start(milestones: readonly number[]): Promise<Running>;
}

/** Where a load sends its jobs. */
export interface Target {
  /** Connections are spread evenly over these ports. */
  readonly ports: readonly number[];
  readonly path: string;
  readonly key: string;
  /** Where results are read by id; undefined if the peer stores none. */
  readonly statusPath?: string;
}

export interface Running {
  readonly target: Target;
  readonly servers: readonly Measured[];
  readonly stores: readonly Measured[];
  readonly workers: readonly Measured[];
  /** Resolves when the workers have run as many jobs in total: one of the milestones. */
  ran(jobs: number): Promise<unknown>;
  /** Deletes its data. */
  clean(): Promise<void>;
}

/** A peer that cannot take part. */
export function absent(name: string, reason: string): Contestant {
  return { name, isPeer: true, missing: () => reason, start: () => Promise.reject(new Error(reason)) };
}

/** Stops everything, stores last: their clients would complain. */
export async function stopRunning({ servers, stores, workers, clean }: Running): Promise<void> {
  for (const group of [workers, servers, stores]) await Promise.all(group.map((one) => one.stop()));
  await clean();
}
