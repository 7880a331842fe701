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
      integer("workersMin", "Workers at least", "Kept running without a job."),
      integer("workersMax", "Workers at most", "Those that come by themselves do not count."),
      duration("idleTimeout", "Idle time", "Without a job, until a worker is stopped.", "seconds"),
      {
        name: "scalerType",
        label: "Scale by",
        hint: "What makes another worker start.",
        kind: "choice",
        choices: ["QUEUE_DELAY", "REQUEST_COUNT"],
      },
      integer("scalerValue", "Scale value", "Seconds that a job may wait, or jobs for each worker."),
      integer("gpuCount", "GPUs", "Of each worker; empty: none."),
      list("gpuTypeIds", "Types of GPU", "The preferred one first; empty: any."),
      integer("vcpuCount", "Cores", "Of each container at most; empty: no limit of its own."),
      integer("shmSizeInMb", "Shared memory", "MB of each container; empty: half of it all with GPUs."),
      { name: "hostLabel", label: "Host label", hint: "Empty: workers run on any host.", kind: "text" },
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
      duration("executionTimeoutMs", "Execution timeout", "How long an attempt may run: 10m, 1h 30m."),
      duration("ttlMs", "TTL", "How long a job may take over queue and run: 24h."),
      duration("runRetentionMs", "Keep results of run", "After the end of the job."),
      duration("runsyncRetentionMs", "Keep results of runsync", "After the end of the job."),
    ],
  },
  {
    title: "Limits",
    members: [
      integer("maxQueuedJobs", "Jobs that may wait", "Empty: as many as come."),
      integer("maxQueuedBytes", "Bytes that may wait", "Empty: as many as come."),
      {
        name: "rateLimits",
        label: "Rate limits",
        hint: "They can be raised only; empty: the figure that is shown.",
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
        label: "Headers of webhooks",
        hint: "Encrypted on the disk, and their values are not shown again: a change asks for all of them.",
        kind: "hidden",
      },
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
  {
    title: "Wishes of hosted clouds",
    about: "Kept for clients that read back what they wrote. They change nothing here.",
    members: [
      list("dataCenterIds", "Data centers"),
      list("cpuFlavorIds", "CPU flavors"),
      list("instanceIds", "Instances"),
      list("allowedCudaVersions", "CUDA versions"),
      { name: "minCudaVersion", label: "CUDA at least", hint: "As 12.4.", kind: "text" },
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
  return { name, label, hint: `A line for each. ${more}`.trim(), kind: "list" };
}
