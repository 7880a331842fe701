import type { Durations } from "./domain/durations.ts";
import { RUN_RETENTION, RUNSYNC_RETENTION } from "./domain/policy.ts";

/** A data directory by this name is none: all is gone with the process. */
export const IN_MEMORY = ":memory:";

/** A value of the configuration: where it can come from, what it is otherwise, and what it may be. */
interface Row<Value> {
  readonly env: string;
  readonly flag: string;
  readonly default: Value;
  /** The value that a text stands for; throws a sentence that says what was expected. */
  readonly parse: (text: string) => Value;
  readonly sentence: string;
}

/** Every setting of the server. A flag goes before the environment, the environment before the default. */
export const CONFIG_ROWS = {
  host: row("FOREBAY_HOST", "host", "127.0.0.1", text, "The address to listen on."),
  port: row("FOREBAY_PORT", "port", 8000, integer(0, 65_535), "The port to listen on; 0 takes a free one."),
  data: row(
    "FOREBAY_DATA",
    "data",
    "./.forebay",
    text,
    "The directory that holds all jobs and settings; :memory: keeps them only while the server runs.",
  ),
  databaseUrl: row(
    "FOREBAY_DATABASE_URL",
    "database-url",
    "",
    databaseUrl,
    "A PostgreSQL for any number of servers, with the hosts of its standbys; empty: the data directory.",
  ),
  databaseListenUrl: row(
    "FOREBAY_DATABASE_LISTEN_URL",
    "database-listen-url",
    "",
    databaseUrl,
    "The same database without a pooler, for the connection that listens; empty: the database URL.",
  ),
  publicUrl: row(
    "FOREBAY_PUBLIC_URL",
    "public-url",
    "",
    url,
    "The address under which clients and workers reach the server, without a path; empty: where it listens.",
  ),
  adminKey: row(
    "FOREBAY_ADMIN_KEY",
    "admin-key",
    "",
    key,
    "A key that may do everything, as long as it is set.",
  ),
  secretKey: row(
    "FOREBAY_SECRET_KEY",
    "secret-key",
    "",
    text,
    "What secrets at rest are encrypted with; empty: the key file.",
  ),
  secretKeyFile: row(
    "FOREBAY_SECRET_KEY_FILE",
    "secret-key-file",
    "",
    text,
    "The file that holds the encryption key; empty: beside the data directory, made at the first start.",
  ),
  commands: row(
    "FOREBAY_COMMANDS",
    "commands",
    "",
    text,
    'A JSON file of the commands that templates may run as workers: {"name": ["program", "argument"]}.',
  ),
  demo: row(
    "FOREBAY_DEMO",
    "demo",
    true,
    boolean,
    "Whether an empty data directory gets the endpoint hello.",
  ),
  commitMarksFd: row(
    "FOREBAY_COMMIT_MARKS_FD",
    "commit-marks-fd",
    0,
    integer(0, 1_023),
    "For crash tests: the inherited pipe that takes a byte at the begin and the end of each commit; 0: none.",
  ),
  bodyBudget: row(
    "FOREBAY_BODY_BUDGET_MB",
    "body-budget-mb",
    512,
    integer(1, 1_048_576),
    "How many MB of clients' bodies above 64 kB may be in flight. Workers have a quarter more.",
  ),
  jobOutputLimit: row(
    "FOREBAY_JOB_OUTPUT_LIMIT_MB",
    "job-output-limit-mb",
    1_024,
    integer(1, 1_048_576),
    "How many MB the chunks of one job may have together; a job that puts out more ends FAILED.",
  ),
  smallBodyTime: duration(
    "SMALL_BODY_TIME",
    10_000,
    "How long a connection may be as good as still while a body up to 64 kB arrives. Seconds, at most 255.",
  ),
  bodyTime: duration(
    "BODY_TIME",
    60_000,
    "How long a larger body may take to arrive; and a second more for each 128 kB.",
  ),
  restTime: duration(
    "REST_TIME",
    75_000,
    "How long a connection may rest after an answer, or an answer go unread. Whole seconds, at most 255.",
  ),
  pingInterval: duration("PING_INTERVAL", 3_000, "How often workers are told to ping."),
  deliveryLease: duration(
    "DELIVERY_LEASE",
    8_000,
    "After how long a job that no worker confirmed goes out again.",
  ),
  workerLease: duration("WORKER_LEASE", 9_000, "After how long without a call a worker is lost."),
  rehandDelay: duration("REHAND_DELAY", 10_000, "How long a job lost at a worker is kept from that worker."),
  takeHold: duration("TAKE_HOLD", 20_000, "How long a worker's call for a job is held while there is none."),
  stopHold: duration(
    "STOP_HOLD",
    3_000,
    "How long a worker's call for jobs to stop is held while there is none.",
  ),
  streamHold: duration("STREAM_HOLD", 5_000, "How long a read of a stream is held while there is no chunk."),
  sweepInterval: duration("SWEEP_INTERVAL", 250, "How often deadlines and leases are looked at."),
  runRetention: duration(
    "RUN_RETENTION",
    RUN_RETENTION,
    "How long the result of a run job stays where its endpoint does not say.",
  ),
  runsyncRetention: duration(
    "RUNSYNC_RETENTION",
    RUNSYNC_RETENTION,
    "How long the result of a runsync job stays where its endpoint does not say.",
  ),
  drainGrace: duration(
    "DRAIN_GRACE",
    5_000,
    "How long a worker that is being stopped may finish its jobs before it is killed.",
  ),
} as const;

type Rows = typeof CONFIG_ROWS;

export type ConfigKey = keyof Rows;

export type Config = Readonly<{ [Key in ConfigKey]: Rows[Key] extends Row<infer Value> ? Value : never }> &
  Durations;

/** What these say is not repeated in a message. */
const SECRETS = new Set(["adminKey", "secretKey", "databaseUrl", "databaseListenUrl"]);

/**
 * The configuration from flags and environment, checked and frozen. Throws one sentence that names all
 * faults.
 */
export function loadConfig(flags: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv): Config {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, row] of Object.entries<Row<unknown>>(CONFIG_ROWS)) {
    const [source, given] = row.flag in flags ? [`--${row.flag}`, flags[row.flag]] : [row.env, env[row.env]];
    try {
      config[key] = given === undefined ? row.default : row.parse(given);
    } catch (error) {
      const expected = error instanceof Error ? error.message : String(error);
      const got = SECRETS.has(key) ? "" : `, got ${JSON.stringify(given)}`;
      faults.push(`${source}: ${expected}${got}`);
    }
  }
  if (faults.length > 0) throw new Error(faults.join("; "));
  // Every key of the table has just been set to what its row parses.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.freeze(config) as unknown as Config;
}

function row<Value>(
  env: string,
  flag: string,
  byDefault: Value,
  parse: (text: string) => Value,
  sentence: string,
): Row<Value> {
  return { env, flag, default: byDefault, parse, sentence };
}

function duration(name: string, byDefault: number, sentence: string): Row<number> {
  const flag = name.toLowerCase().replaceAll("_", "-");
  return row(
    `FOREBAY_${name}_MS`,
    `${flag}-ms`,
    byDefault,
    integer(1, 86_400_000),
    `${sentence} Milliseconds.`,
  );
}

function text(given: string): string {
  return given;
}

function integer(min: number, max: number): (given: string) => number {
  return (given) => {
    const value = /^[0-9]{1,9}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Error(`expected an integer from ${min} to ${max}`);
  };
}

function boolean(given: string): boolean {
  if (given === "true") return true;
  if (given === "false") return false;
  throw new Error("expected true or false");
}

function url(given: string): string {
  if (given === "") return given;
  if (!/^https?:\/\/[^/\s]+$/.test(given))
    throw new Error("expected an address like https://queue.example.com");
  return given;
}

function databaseUrl(given: string): string {
  if (given !== "" && !/^postgres(ql)?:\/\/./.test(given)) {
    throw new Error("expected an address like postgres://user:password@host:5432/database");
  }
  return given;
}

function key(given: string): string {
  if (given !== "" && !/^[\x21-\x7e]{16,1024}$/.test(given)) {
    throw new Error("expected 16 or more printable characters without spaces");
  }
  return given;
}
