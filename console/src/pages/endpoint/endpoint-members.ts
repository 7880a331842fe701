import type { Endpoint } from "../../answers.ts";

/** A setting of an endpoint that users change here (docs/api.md, 4.B). */
export interface Member {
  readonly name: keyof Endpoint;
  readonly label: string;
  readonly hint: string;
  /** `list` has a line for each name. `hidden` has pairs whose values the server never returns. */
  readonly kind: "integer" | "text" | "flag" | "choice" | "list" | "pairs" | "hidden" | "limits";
  readonly choices?: readonly string[];
}

export interface MemberGroup {
  readonly title: string;
  readonly about?: string;
  readonly members: readonly Member[];
}

/** Empty means the default. */
export const GROUPS: readonly MemberGroup[] = [
  {
    title: "Workers",
    members: [
      integer("workersMin", "Minimum workers", "Keep running without jobs."),
      integer("workersMax", "Maximum workers", "Workers that you start yourself do not count."),
      integer("idleTimeout", "Idle time", "Seconds without a job before a worker is stopped."),
      {
        name: "scalerType",
        label: "Scale by",
        hint: "When to start another worker.",
        kind: "choice",
        choices: ["QUEUE_DELAY", "REQUEST_COUNT"],
      },
      integer("scalerValue", "Scale value", "Seconds a job can wait, or jobs per worker."),
      integer("gpuCount", "GPUs", "Per worker. Default: none."),
      list("gpuTypeIds", "Types of GPU", "The preferred one first. Default: any."),
      integer("vcpuCount", "Cores", "Per container. Default: no limit."),
      integer("shmSizeInMb", "Shared memory", "MB per container. Default: with GPUs, half of its memory."),
    ],
  },
  {
    title: "Releases",
    members: [
      integer("releaseSurge", "Surge", "Extra workers above the maximum during a release."),
      integer("releasePace", "Pace", "Workers that a release starts at a time. Default: no limit."),
    ],
  },
  {
    title: "Times",
    members: [
      integer("executionTimeoutMs", "Execution time-out", "Milliseconds a job can run, at least 5000."),
      integer("ttlMs", "Time to live (TTL)", "Milliseconds in the queue and running."),
      integer("runRetentionMs", "Result retention of run", "Milliseconds after the end."),
      integer("runsyncRetentionMs", "Result retention of runsync", "Milliseconds after the end."),
    ],
  },
  {
    title: "Limits",
    members: [
      integer("maxQueuedJobs", "Maximum waiting jobs", "Default: no limit."),
      integer("maxQueuedBytes", "Maximum waiting bytes", "Default: no limit."),
      {
        name: "rateLimits",
        label: "Rate limits",
        hint: "Limits can only be raised. Default: the value shown.",
        kind: "limits",
      },
    ],
  },
  {
    title: "Webhooks",
    members: [
      integer("webhookRetries", "Webhook retries", "0 to 30."),
      {
        name: "webhookHeaders",
        label: "Webhook headers",
        hint: "Stored encrypted, and not shown again. To change one, enter all of them.",
        kind: "hidden",
      },
    ],
  },
  {
    title: "Environment",
    members: [
      {
        name: "env",
        label: "Environment variables",
        hint: "They override those of the template and are stored encrypted.",
        kind: "pairs",
      },
    ],
  },
  {
    title: "Settings of hosted clouds",
    about: "Stored for clients that read them back. They have no effect.",
    members: [
      list("dataCenterIds", "Data centers"),
      list("cpuFlavorIds", "CPU flavors"),
      list("instanceIds", "Instances"),
      list("allowedCudaVersions", "CUDA versions"),
      { name: "minCudaVersion", label: "Minimum CUDA version", hint: "As 12.4.", kind: "text" },
      { name: "flashboot", label: "Flashboot", hint: "", kind: "flag" },
    ],
  },
];

function integer(name: keyof Endpoint, label: string, hint: string): Member {
  return { name, label, hint, kind: "integer" };
}

function list(name: keyof Endpoint, label: string, more = ""): Member {
  return { name, label, hint: `One per line. ${more}`.trim(), kind: "list" };
}
