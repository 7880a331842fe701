import { DOCKER_ROWS } from "./docker-rows.ts";
import { boolean, databaseUrl, decimal, integer, key, networks, row, type Row, span, text, url } from "./values.ts";
import { RUN_RETENTION, RUNSYNC_RETENTION } from "../domain/policy.ts";

/** Every setting of the server. A flag goes before the environment, the environment before the default. */
export const CONFIG_ROWS = {
  host: row("FOREBAY_HOST", "host", "127.0.0.1", text, "The address to listen on."),
  port: row("FOREBAY_PORT", "port", 8000, integer(0, 65_535), "The port to listen on; 0 chooses a free one."),
  data: row(
    "FOREBAY_DATA",
    "data",
    "./.forebay",
    text,
    "The directory of all jobs and settings; :memory: keeps them only while the server runs.",
  ),
  adoptData: row(
    "FOREBAY_ADOPT_DATA",
    "adopt-data",
    false,
    boolean,
    "Accept a data directory that is a copy; it becomes this server's own.",
  ),
  databaseUrl: row(
    "FOREBAY_DATABASE_URL",
    "database-url",
    "",
    databaseUrl,
    "A PostgreSQL for one or more servers, with the hosts of its standbys; empty: the data directory.",
  ),
  databaseListenUrl: row(
    "FOREBAY_DATABASE_LISTEN_URL",
    "database-listen-url",
    "",
    databaseUrl,
    "The same database without a pooler, for notifications; empty: the database URL.",
  ),
  publicUrl: row(
    "FOREBAY_PUBLIC_URL",
    "public-url",
    "",
    url,
    "The address that clients and workers call, without a path; empty: where the server listens.",
  ),
  adminKey: row("FOREBAY_ADMIN_KEY", "admin-key", "", key, "A key with all rights for as long as it is set."),
  secretKey: row(
    "FOREBAY_SECRET_KEY",
    "secret-key",
    "",
    text,
    "The key that encrypts secrets at rest; empty: the key file.",
  ),
  secretKeyPrevious: row(
    "FOREBAY_SECRET_KEY_PREVIOUS",
    "secret-key-previous",
    "",
    text,
    "The old encryption key, which only decrypts. Remove it after forebay secrets rotate.",
  ),
  secretKeyFile: row(
    "FOREBAY_SECRET_KEY_FILE",
    "secret-key-file",
    "",
    text,
    "The file of encryption keys, the newest first; empty: beside the data, created at the first start.",
  ),
  commands: row(
    "FOREBAY_COMMANDS",
    "commands",
    "",
    text,
    'A JSON file of commands that templates may run as workers: {"name": ["program", "argument"]}.',
  ),
  webhookAllow: row(
    "FOREBAY_WEBHOOK_ALLOW",
    "webhook-allow",
    "",
    networks,
    "Private networks that webhooks may call, as CIDR, separated by commas: 10.1.0.0/16,fd00::/8.",
  ),
  processMemory: row(
    "FOREBAY_PROCESS_MEMORY_MB",
    "process-memory-mb",
    0,
    integer(0, 100_000_000),
    "Memory of one process worker and its children, in MB; 0: no limit. Requires cgroup v2.",
  ),
  processCpus: row(
    "FOREBAY_PROCESS_CPUS",
    "process-cpus",
    0,
    decimal(0, 10_000),
    "Cores of one process worker and its children, such as 1.5; 0: no limit. Requires cgroup v2.",
  ),
  processPids: row(
    "FOREBAY_PROCESS_PIDS",
    "process-pids",
    0,
    integer(0, 4_194_304),
    "Processes and threads of one process worker, at most; 0: no limit. Requires cgroup v2.",
  ),
  ...DOCKER_ROWS,
  demo: row("FOREBAY_DEMO", "demo", true, boolean, "Create the endpoint hello in an empty data directory."),
  commitMarksFd: row(
    "FOREBAY_COMMIT_MARKS_FD",
    "commit-marks-fd",
    0,
    integer(0, 1_023),
    "For crash tests: an inherited pipe that gets a byte at the start and end of each commit; 0: none.",
  ),
  bodyBudget: row(
    "FOREBAY_BODY_BUDGET_MB",
    "body-budget-mb",
    512,
    integer(1, 1_048_576),
    "Memory for bodies of clients above 64 kB, in MB. Workers' bodies and answers get a quarter each on top.",
  ),
  accountEndpoints: count("ACCOUNT_ENDPOINTS", 5_000, "Endpoints of one account, at most."),
  accountTemplates: count("ACCOUNT_TEMPLATES", 5_000, "Templates of one account, at most."),
  accountKeys: count("ACCOUNT_KEYS", 5_000, "API keys of one account, at most."),
  accountRegistryLogins: count("ACCOUNT_REGISTRY_LOGINS", 1_000, "Registry logins of one account, at most."),
  accountWorkerTokens: count(
    "ACCOUNT_WORKER_TOKENS",
    20_000,
    "Worker tokens of one account, at most, including those of workers that Forebay runs.",
  ),
  accountRecordMb: count(
    "ACCOUNT_RECORD_MB",
    1_024,
    "Size of all templates of one account, in MB; the same again for its endpoints, and for its keys.",
  ),
  accountReleaseMb: count(
    "ACCOUNT_RELEASE_MB",
    4_096,
    "Size of all releases of one account, in MB; old ones are deleted first.",
  ),
  accountQueuedMb: count("ACCOUNT_QUEUED_MB", 10_240, "Size of all waiting jobs of one account, in MB."),
  endpointQueuedMb: count(
    "ENDPOINT_QUEUED_MB",
    10_240,
    "Size of all waiting jobs of one endpoint, in MB. It also limits maxQueuedBytes.",
  ),
  connections: row(
    "FOREBAY_CONNECTIONS",
    "connections",
    0,
    integer(0, 1_000_000),
    "Above this number of connections, those without a key are closed; 0: 3/4 of the open files.",
  ),
  keylessConnections: row(
    "FOREBAY_KEYLESS_CONNECTIONS",
    "keyless-connections",
    0,
    integer(0, 1_000_000),
    "Connections without a key from one address, at most; 0: half of all connections.",
  ),
  jobOutputLimit: row(
    "FOREBAY_JOB_OUTPUT_LIMIT_MB",
    "job-output-limit-mb",
    1_024,
    integer(1, 1_048_576),
    "Size of all chunks of one job, in MB; a job with more output is FAILED.",
  ),
  history: row(
    "FOREBAY_HISTORY",
    "history",
    "7d",
    span,
    "How long the records of finished jobs are kept, such as 12h or 7d; 0: there is no history.",
  ),
  historyLimit: row(
    "FOREBAY_HISTORY_LIMIT_MB",
    "history-limit-mb",
    1_024,
    integer(1, 1_000_000),
    "Records of finished jobs and their inputs, in MB; the oldest are deleted.",
  ),
  workerLogLimit: row(
    "FOREBAY_WORKER_LOG_LIMIT_MB",
    "worker-log-limit-mb",
    10,
    integer(1, 1_048_576),
    "Logs kept of one worker, in MB; the oldest lines are deleted.",
  ),
  endpointLogLimit: row(
    "FOREBAY_ENDPOINT_LOG_LIMIT_MB",
    "endpoint-log-limit-mb",
    100,
    integer(1, 1_048_576),
    "Logs kept of one endpoint, in MB; those of ended workers are deleted first.",
  ),
  smallBodyTime: duration(
    "SMALL_BODY_TIME",
    10_000,
    "How long a connection may be silent while it sends a body up to 64 kB, in whole seconds up to 255 s.",
  ),
  bodyTime: duration("BODY_TIME", 60_000, "How long a larger body may take, plus a second for each 128 kB."),
  restTime: duration(
    "REST_TIME",
    75_000,
    "How long a connection may be idle, or an answer unread, in whole seconds up to 255 s.",
  ),
  pingInterval: duration("PING_INTERVAL", 3_000, "The heartbeat interval of workers."),
  deliveryLease: duration(
    "DELIVERY_LEASE",
    8_000,
    "After this time a job that no worker confirmed is handed out again.",
  ),
  workerLease: duration("WORKER_LEASE", 9_000, "After this time without a call a worker is lost."),
  rehandDelay: duration("REHAND_DELAY", 10_000, "How long a worker that lost a job cannot get it again."),
  takeHold: duration("TAKE_HOLD", 20_000, "How long a worker's poll for a job waits if there is none."),
  stopHold: duration("STOP_HOLD", 3_000, "How long a worker's poll for jobs to stop waits if there is none."),
  streamHold: duration("STREAM_HOLD", 5_000, "How long a read of a stream waits for a chunk."),
  streamSilence: duration(
    "STREAM_SILENCE",
    15_000,
    "After this time without an event a live stream sends a comment, so that no proxy closes it.",
  ),
  sweepInterval: duration("SWEEP_INTERVAL", 250, "How often deadlines and leases are checked."),
  runRetention: duration(
    "RUN_RETENTION",
    RUN_RETENTION,
    "How long the result of a run job is kept, if its endpoint sets no time.",
  ),
  runsyncRetention: duration(
    "RUNSYNC_RETENTION",
    RUNSYNC_RETENTION,
    "How long the result of a runsync job is kept, if its endpoint sets no time.",
  ),
  webhookTimeout: duration("WEBHOOK_TIMEOUT", 20_000, "The timeout of one attempt to deliver a webhook."),
  webhookPause: duration("WEBHOOK_PAUSE", 10_000, "The pause between a failed attempt and the next one."),
  webhookInterval: duration(
    "WEBHOOK_INTERVAL",
    500,
    "How often due webhooks are searched for, in case a notification was lost.",
  ),
  webhookRetention: duration(
    "WEBHOOK_RETENTION",
    86_400_000,
    "How long an undelivered webhook is kept for redelivery.",
  ),
  workerLogRetention: duration(
    "WORKER_LOG_RETENTION",
    86_400_000,
    "How long the logs of a worker are kept after its end.",
  ),
  workerInitTimeout: duration(
    "WORKER_INIT_TIMEOUT",
    420_000,
    "How long a started worker may take to connect; then it is stopped, and counts as failed.",
  ),
  hostTimeout: duration(
    "HOST_TIMEOUT",
    60_000,
    "After this time without an answer of its engine a host is lost: the jobs of its workers run elsewhere.",
  ),
  drainGrace: duration("DRAIN_GRACE", 5_000, "How long a worker may finish its jobs before it is killed."),
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
