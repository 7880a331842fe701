import { DOCKER_ROWS } from "./config-docker-rows.ts";
import { row, type Row } from "./config-row.ts";
import { boolean, databaseUrl, integer, key, networks, text, url } from "./config-values.ts";
import { RUN_RETENTION, RUNSYNC_RETENTION } from "./domain/policy.ts";

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
  adoptData: row(
    "FOREBAY_ADOPT_DATA",
    "adopt-data",
    false,
    boolean,
    "Whether the data directory may be a copy, or a restored backup: it then becomes this server's own.",
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
  secretKeyPrevious: row(
    "FOREBAY_SECRET_KEY_PREVIOUS",
    "secret-key-previous",
    "",
    text,
    "The encryption key before, until forebay secrets rotate has replaced all that it made; it opens only.",
  ),
  secretKeyFile: row(
    "FOREBAY_SECRET_KEY_FILE",
    "secret-key-file",
    "",
    text,
    "The file of the encryption keys, the newest first; empty: beside the data, made at the first start.",
  ),
  commands: row(
    "FOREBAY_COMMANDS",
    "commands",
    "",
    text,
    'A JSON file of the commands that templates may run as workers: {"name": ["program", "argument"]}.',
  ),
  webhookAllow: row(
    "FOREBAY_WEBHOOK_ALLOW",
    "webhook-allow",
    "",
    networks,
    "Networks inside that webhooks may call beside the internet, as CIDR, with commas: 10.1.0.0/16,fd00::/8.",
  ),
  ...DOCKER_ROWS,
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
    "MB for clients' bodies above 64 kB. A quarter more each: workers' bodies, answers to either.",
  ),
  accountEndpoints: count("ACCOUNT_ENDPOINTS", 5_000, "How many endpoints an account can have."),
  accountTemplates: count("ACCOUNT_TEMPLATES", 5_000, "How many templates an account can have."),
  accountKeys: count("ACCOUNT_KEYS", 5_000, "How many API keys an account can have."),
  accountRegistryLogins: count(
    "ACCOUNT_REGISTRY_LOGINS",
    1_000,
    "How many registry logins an account can have.",
  ),
  accountWorkerTokens: count(
    "ACCOUNT_WORKER_TOKENS",
    20_000,
    "How many worker tokens an account can have, with those of the workers that Forebay runs for it.",
  ),
  accountRecordMb: count(
    "ACCOUNT_RECORD_MB",
    1_024,
    "How many MB the templates of an account can have together; so many its endpoints, and its keys, too.",
  ),
  accountReleaseMb: count(
    "ACCOUNT_RELEASE_MB",
    4_096,
    "How many MB all releases of an account can have together; old ones are deleted first.",
  ),
  accountQueuedMb: count(
    "ACCOUNT_QUEUED_MB",
    10_240,
    "How many MB the waiting jobs of an account can have together.",
  ),
  endpointQueuedMb: count(
    "ENDPOINT_QUEUED_MB",
    10_240,
    "How many MB the waiting jobs of one endpoint can have. Its maxQueuedBytes cannot be larger.",
  ),
  connections: row(
    "FOREBAY_CONNECTIONS",
    "connections",
    0,
    integer(0, 1_000_000),
    "Above this many connections the server closes those without a key; 0: three quarters of its open files.",
  ),
  keylessConnections: row(
    "FOREBAY_KEYLESS_CONNECTIONS",
    "keyless-connections",
    0,
    integer(0, 1_000_000),
    "How many connections without a key one address may have; 0: half of all connections.",
  ),
  jobOutputLimit: row(
    "FOREBAY_JOB_OUTPUT_LIMIT_MB",
    "job-output-limit-mb",
    1_024,
    integer(1, 1_048_576),
    "How many MB the chunks of one job may have together; a job that puts out more ends FAILED.",
  ),
  workerLogLimit: row(
    "FOREBAY_WORKER_LOG_LIMIT_MB",
    "worker-log-limit-mb",
    10,
    integer(1, 1_048_576),
    "How many MB of what one worker prints are kept; the oldest go.",
  ),
  endpointLogLimit: row(
    "FOREBAY_ENDPOINT_LOG_LIMIT_MB",
    "endpoint-log-limit-mb",
    100,
    integer(1, 1_048_576),
    "The same for all workers of an endpoint together; those go first that have ended.",
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
  streamSilence: duration(
    "STREAM_SILENCE",
    15_000,
    "After how long without an event a live stream sends a comment, so that no proxy closes it.",
  ),
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
  webhookTimeout: duration("WEBHOOK_TIMEOUT", 20_000, "How long one attempt to deliver a webhook may take."),
  webhookPause: duration(
    "WEBHOOK_PAUSE",
    10_000,
    "How long after the end of a failed attempt the next one begins.",
  ),
  webhookInterval: duration(
    "WEBHOOK_INTERVAL",
    500,
    "How often is looked for webhooks that are due without a sign of it.",
  ),
  webhookRetention: duration(
    "WEBHOOK_RETENTION",
    86_400_000,
    "How long a webhook that nobody acknowledged stays, to be asked for once more.",
  ),
  workerLogRetention: duration(
    "WORKER_LOG_RETENTION",
    86_400_000,
    "How long what a worker has printed stays after it has ended.",
  ),
  workerInitTimeout: duration(
    "WORKER_INIT_TIMEOUT",
    420_000,
    "How long a worker that was started may take until it first calls; then it is ended, and has failed.",
  ),
  drainGrace: duration(
    "DRAIN_GRACE",
    5_000,
    "How long a worker that is being stopped may finish its jobs before it is killed.",
  ),
} as const;

function count(name: string, byDefault: number, sentence: string): Row<number> {
  const flag = name.toLowerCase().replaceAll("_", "-");
  return row(`FOREBAY_${name}`, flag, byDefault, integer(1, 100_000_000), sentence);
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
