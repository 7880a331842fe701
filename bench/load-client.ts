import { join } from "node:path";
import type { Target } from "./contestant.ts";
import { MeasuredProcess } from "./measured-process.ts";

/** What the submissions waited, ms. */
export interface Waits {
  /** Answers a second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A process of `bench/load/client.ts`. */
export interface LoadClient {
  readonly process: MeasuredProcess;
  /** Submits as many jobs and waits for the answers; at `rate` jobs a second, if given. */
  submit(jobs: number, rate?: number): Promise<Waits>;
  /** Submits at this rate until the client stops. */
  begin(rate: number): void;
  /** The waits since the last call. */
  mark(): Promise<Waits>;
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** Reads every result, too. */
  readonly readsResults?: boolean;
  /** Jobs go to these paths in turn, instead of that of the target. */
  readonly paths?: readonly string[];
  /** The length of each input, bytes. */
  readonly bytes?: number;
  readonly connections?: number;
  /** Tags of the jobs, in turn. */
  readonly tags?: readonly (readonly string[])[];
}

const AN_HOUR = 3_600_000;

export async function startClient(target: Target, options: LoadOptions = {}): Promise<LoadClient> {
  const { ports, path, key, statusPath } = target;
  const { readsResults = false, paths = [path], ...others } = options;
  const given = { ports, paths, key, ...(readsResults ? { statusPath } : {}), ...others };
  const script = join(import.meta.dir, "load/client.ts");
  const client = new MeasuredProcess([process.execPath, script, JSON.stringify(given)]);
  await client.line("ready");
  const answer = async (command: object): Promise<Waits> => {
    client.write(JSON.stringify(command));
    return JSON.parse(await client.line("p50", AN_HOUR));
  };
  return {
    process: client,
    submit: (jobs, rate) => answer({ jobs, ...(rate === undefined ? {} : { rate }) }),
    begin: (rate) => client.write(JSON.stringify({ rate })),
    mark: () => answer({ mark: true }),
    stop: () => client.stop(),
  };
}
