/** A member of an endpoint that people set here (docs/api.md, 4.B). */
export interface Member {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: "integer" | "choice" | "pairs";
  readonly choices?: readonly string[];
}

export interface MemberGroup {
  readonly title: string;
  readonly members: readonly Member[];
}

/** Empty means the default. */
export const GROUPS: readonly MemberGroup[] = [
  {
    title: "Workers",
    members: [
      integer("workersMin", "Workers at least", "Kept running without a job."),
      integer("workersMax", "Workers at most", "Those that come by themselves do not count."),
      integer("idleTimeout", "Idle time", "Seconds without a job after which a worker is stopped."),
      {
        name: "scalerType",
        label: "Scale by",
        hint: "What makes another worker start.",
        kind: "choice",
        choices: ["QUEUE_DELAY", "REQUEST_COUNT"],
      },
      integer("scalerValue", "Scale value", "Seconds that a job may wait, or jobs for each worker."),
      integer("gpuCount", "GPUs", "Of each container; empty: none."),
      integer("vcpuCount", "Cores", "Of each container at most; empty: no limit of its own."),
    ],
  },
  {
    title: "Releases",
    members: [
      integer("releaseSurge", "Surge", "Workers that a release may take beyond the most."),
      integer("releasePace", "Pace", "Workers that a release starts at a time; empty: no limit."),
    ],
  },
  {
    title: "Times",
    members: [
      integer("executionTimeoutMs", "Execution time-out", "Milliseconds a job may run; above 5000."),
      integer("ttlMs", "Time to live", "Milliseconds over queue and run."),
      integer("runRetentionMs", "Results of run stay", "Milliseconds after the end."),
      integer("runsyncRetentionMs", "Results of runsync stay", "Milliseconds after the end."),
    ],
  },
  {
    title: "Limits and webhooks",
    members: [
      integer("maxQueuedJobs", "Jobs that may wait", "Empty: as many as come."),
      integer("maxQueuedBytes", "Bytes that may wait", "Empty: as many as come."),
      integer("webhookRetries", "Webhook retries", "0 to 30."),
    ],
  },
  {
    title: "Environment",
    members: [
      {
        name: "env",
        label: "Variables of the workers",
        hint: "They go before those of the template, and are encrypted on the disk.",
        kind: "pairs",
      },
    ],
  },
];

function integer(name: string, label: string, hint: string): Member {
  return { name, label, hint, kind: "integer" };
}
