/** One metric, as Prometheus names and describes it. */
export interface Metric {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly string[];
  /** Whether its value is of this server alone, or the same on all servers that share their data. */
  readonly of: "server" | "all";
  readonly help: string;
}

function metric(type: Metric["type"], of: Metric["of"], labels: readonly string[], help: string): Metric {
  return { type, of, labels, help };
}

const ENDPOINT = ["endpoint"];
const GPU = ["host", "gpu", "name"];

/** All metrics of `/metrics`, in order. docs/metrics.md has the same table. */
export const METRICS = {
  forebay_queue_jobs: metric("gauge", "all", ENDPOINT, "Jobs that wait."),
  forebay_queue_oldest_seconds: metric(
    "gauge",
    "all",
    ENDPOINT,
    "How long the job at the front of the queue has waited since it was queued last; 0 when none waits.",
  ),
  forebay_jobs_in_progress: metric("gauge", "all", ENDPOINT, "Jobs that run."),
  forebay_workers: metric("gauge", "all", [...ENDPOINT, "state"], "Workers, counted as health does."),
  forebay_crash_loop: metric(
    "gauge",
    "all",
    ENDPOINT,
    "1 while several workers in a row have exited before they connected.",
  ),
  forebay_host_up: metric(
    "gauge",
    "server",
    ["host"],
    "1 if the host answers this server, 0 if it is away; draining hosts too.",
  ),
  forebay_gpus: metric(
    "gauge",
    "server",
    ["host", "state"],
    "GPUs of a host: free, allocated (a worker has them), out_of_use (no worker gets them).",
  ),
  forebay_gpu_utilization_ratio: metric(
    "gauge",
    "server",
    GPU,
    "Share of the time in which a program ran on the GPU, 0 to 1, if the driver reports it.",
  ),
  forebay_gpu_memory_used_bytes: metric(
    "gauge",
    "server",
    GPU,
    "Memory of the GPU that programs use, if the driver reports it.",
  ),
  forebay_reports_ignored_total: metric(
    "counter",
    "all",
    ENDPOINT,
    "Late, duplicate and foreign results, chunks and progress since the endpoint was created.",
  ),
  forebay_jobs_submitted_total: metric("counter", "server", ENDPOINT, "Jobs accepted."),
  forebay_jobs_taken_total: metric("counter", "server", ENDPOINT, "Hand-outs of jobs to workers."),
  forebay_jobs_ended_total: metric(
    "counter",
    "server",
    [...ENDPOINT, "state"],
    "Jobs that ended: completed, failed, timed_out, or cancelled by cancel and purge-queue.",
  ),
  forebay_jobs_retried_total: metric(
    "counter",
    "server",
    ENDPOINT,
    "Jobs that a call of retry put back into the queue.",
  ),
  forebay_attempts_lost_total: metric("counter", "server", ENDPOINT, "Attempts whose worker was lost."),
  forebay_job_delay_seconds: metric(
    "histogram",
    "server",
    ENDPOINT,
    "From the last queueing of a job to its hand-out.",
  ),
  forebay_job_execution_seconds: metric(
    "histogram",
    "server",
    ENDPOINT,
    "From the hand-out of a job to its end, of those that ended while they ran.",
  ),
  forebay_webhook_attempts_total: metric(
    "counter",
    "server",
    ["outcome"],
    "Calls of webhooks: delivered, retry (it failed and will be retried), given_up (it was the last).",
  ),
  forebay_limits_hit_total: metric(
    "counter",
    "server",
    ["operation", "limit"],
    "Calls refused by a limit: requests (too many within 10 s), concurrent (too many at once), queue (full).",
  ),
  forebay_http_requests_total: metric(
    "counter",
    "server",
    ["route", "status"],
    "Answers, by route and class of status.",
  ),
  forebay_http_request_duration_seconds: metric(
    "histogram",
    "server",
    ["route"],
    "From the head of a request to the beginning of its answer; long polls count in full.",
  ),
  forebay_store_commit_seconds: metric(
    "histogram",
    "server",
    [],
    "Transactions of the store, until durable.",
  ),
  forebay_store_commit_steps: metric("histogram", "server", [], "Steps that shared a transaction."),
  forebay_disk_free_bytes: metric("gauge", "server", [], "Free on the disk with the data directory."),
  forebay_disk_size_bytes: metric("gauge", "server", [], "Size of the disk with the data directory."),
  forebay_disk_low_bytes: metric(
    "gauge",
    "server",
    [],
    "With fewer free bytes than this the server warns: 10 % of the disk, at most 5 GB.",
  ),
  forebay_database_bytes: metric(
    "gauge",
    "all",
    [],
    "Size of the database: the files of SQLite, or what PostgreSQL says.",
  ),
  forebay_live_readers: metric("gauge", "server", [], "Callers that read Server-Sent Events now."),
  forebay_leader: metric(
    "gauge",
    "server",
    [],
    "1 on the leader, the server that runs deadlines, lost workers and scaling for all.",
  ),
  forebay_event_loop_delay_seconds: metric(
    "histogram",
    "server",
    [],
    "How late a timer fired, measured four times a second.",
  ),
  forebay_uptime_seconds: metric("gauge", "server", [], "Since the start of the server."),
  forebay_build_info: metric("gauge", "server", ["version", "runtime"], "1, with what runs as labels."),
  process_resident_memory_bytes: metric("gauge", "server", [], "Memory of the process."),
  process_cpu_seconds_total: metric("counter", "server", [], "CPU time of the process."),
  process_start_time_seconds: metric("gauge", "server", [], "When the process started, since 1970."),
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof METRICS;
