import type { Endpoint } from "../../answers.ts";

/** A setting of an endpoint that users change here (docs/api.md, 4.B). */
export interface Member {
  readonly name: keyof Endpoint;
  readonly label: string;
  readonly hint: string;
  /**
   * `list` has a line for each name. `hidden` has pairs whose values the server never returns. `milliseconds`
   * and `seconds` are durations that the API takes in that unit.
   */
  readonly kind:
    | "milliseconds"
    | "seconds"
    | "integer"
    | "text"
    | "flag"
    | "choice"
    | "list"
    | "pairs"
    | "hidden"
    | "limits";
  readonly choices?: readonly string[];
}

export interface MemberGroup {
  readonly title: string;
  readonly about?: string;
  readonly members: readonly Member[];
}

/** What the server sets on a new endpoint if nothing is sent. */
export const DEFAULTS = {
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
} as const satisfies Partial<Endpoint>;

/** Empty means the default. */
export const GROUPS: readonly MemberGroup[] = [
  {
    title: "Workers",
    members: [
      integer("workersMin", "Minimum workers", "Keep running without jobs."),
      integer("workersMax", "Maximum workers", "Workers that you start yourself do not count."),
      duration("idleTimeout", "Idle time", "Time without a job before a worker is stopped.", "seconds"),
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
      { name: "hostLabel", label: "Host label", hint: "Default: workers run on any host.", kind: "text" },
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
      duration("executionTimeoutMs", "Execution timeout", "How long an attempt can run: 10m, 1h 30m."),
      duration("ttlMs", "Time to live (TTL)", "Time in the queue and running: 24h."),
      duration("runRetentionMs", "Result retention of run", "Time after the end of the job."),
      duration("runsyncRetentionMs", "Result retention of runsync", "Time after the end of the job."),
      {
        name: "historyInputs",
        label: "Inputs in the history",
        hint: "Whose inputs are kept: those of failed jobs, all, or none.",
        kind: "choice",
        choices: ["failed", "all", "none"],
      },
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

/** The settings by their names. */
export const MEMBERS: ReadonlyMap<string, Member> = new Map(
  GROUPS.flatMap(({ members }) => members).map((member) => [member.name, member]),
);

function integer(name: keyof Endpoint, label: string, hint: string): Member {
  return { name, label, hint, kind: "integer" };
}

function duration(
  name: keyof Endpoint,
  label: string,
  hint: string,
  kind: "milliseconds" | "seconds" = "milliseconds",
): Member {
  return { name, label, hint, kind };
}

function list(name: keyof Endpoint, label: string, more = ""): Member {
  return { name, label, hint: `One per line. ${more}`.trim(), kind: "list" };
}
