import { CommandFault } from "../command-fault.ts";
import { count, list, type Member, type Members, pairs, text, time, yes } from "../manage/members.ts";

/** The settings of an endpoint, as flags (docs/api.md, 4.B). */
export const ENDPOINT_MEMBERS = {
  template: text(
    "templateId",
    "<id>",
    "what Forebay starts for it; without one all workers come by themselves",
  ),
  env: pairs("env", "NAME=value", "a variable of the workers"),
  "workers-min": count("workersMin", "<number>", "how many workers Forebay keeps running; else 0"),
  "workers-max": count("workersMax", "<number>", "how many it starts at most; else 3"),
  "idle-timeout": time("idleTimeout", "after how long without a job a worker is stopped; else 5s", 1_000),
  scaler: {
    ...text("scalerType", "<type>", "what makes another worker start: queue-delay or request-count"),
    read: (_, [given = ""]) => given.toUpperCase().replaceAll("-", "_"),
  },
  "scaler-value": count(
    "scalerValue",
    "<number>",
    "seconds that a job may wait, or jobs for each worker; else 4",
  ),
  gpus: count("gpuCount", "<number>", "GPUs that each worker has for itself"),
  "gpu-type": list("gpuTypeIds", "<name>", "a type of GPU that its workers accept, the preferred one first"),
  vcpus: count("vcpuCount", "<number>", "cores of each container at most"),
  "shm-mb": count("shmSizeInMb", "<number>", "shared memory of each container, MB; else half with GPUs"),
  "host-label": text("hostLabel", "<label>", "its workers run only on hosts with this label"),
  "release-surge": count(
    "releaseSurge",
    "<number>",
    "workers that a release may take beyond the most; else 1",
  ),
  "release-pace": count("releasePace", "<number>", "how many workers a release starts at a time"),
  paused: yes("isPaused", "jobs are taken in and wait"),
  "execution-timeout": time("executionTimeoutMs", "how long an attempt may run; else 10m"),
  ttl: time("ttlMs", "how long a job may take over queue and run; else 24h"),
  "run-retention": time("runRetentionMs", "how long the result of a run job stays; else 30m"),
  "runsync-retention": time("runsyncRetentionMs", "the same for runsync; else 60s"),
  "rate-limit": rateLimits(),
  "max-queued-jobs": count("maxQueuedJobs", "<number>", "how many jobs may wait"),
  "max-queued-bytes": count("maxQueuedBytes", "<number>", "how many bytes of them may wait"),
  "history-inputs": text(
    "historyInputs",
    "<which>",
    "of which jobs inputs stay in the history: failed, none or all; else failed",
  ),
  "webhook-retries": count("webhookRetries", "<number>", "how often a webhook is tried again; else 2"),
  "webhook-header": pairs("webhookHeaders", "'Name: value'", "a header of each webhook", ":"),
} as const satisfies Members;

/** `run=5000/1000`: requests within 10 s, and in flight. */
function rateLimits(): Member {
  const value = "run=5000/1000";
  const help = "requests of an operation within 10 s, and in flight";
  return {
    ...pairs("rateLimits", value, help),
    read: (flag, texts) =>
      Object.fromEntries(
        texts.map((given) => {
          const [, operation = "", requests = "", concurrent] =
            /^([a-z-]+)=([0-9]{1,9})(?:\/([0-9]{1,9}))?$/.exec(given) ?? [];
          if (operation === "")
            throw new CommandFault(`${flag} takes ${value}, got ${JSON.stringify(given)}.`);
          const inFlight = concurrent === undefined ? {} : { concurrent: Number(concurrent) };
          return [operation, { requests: Number(requests), ...inFlight }];
        }),
      ),
  };
}
