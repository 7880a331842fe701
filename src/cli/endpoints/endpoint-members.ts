import { CommandFault } from "../command-fault.ts";
import { count, list, type Member, type Members, pairs, text, time, yes } from "../manage/members.ts";

/** The settings of an endpoint, as flags (docs/api.md, 4.B). */
export const ENDPOINT_MEMBERS = {
  template: text("templateId", "<id>", "the image of its workers; without one, you start the workers"),
  env: pairs("env", "NAME=value", "an environment variable of the workers"),
  "workers-min": count("workersMin", "<number>", "minimum workers, kept running without jobs; default: 0"),
  "workers-max": count("workersMax", "<number>", "maximum workers that Forebay starts; default: 3"),
  "idle-timeout": time("idleTimeout", "how long a worker runs without a job; default: 5s", 1_000),
  scaler: {
    ...text("scalerType", "<type>", "when to start another worker: queue-delay or request-count"),
    read: (_, [given = ""]) => given.toUpperCase().replaceAll("-", "_"),
  },
  "scaler-value": count("scalerValue", "<number>", "seconds a job can wait, or jobs per worker; default: 4"),
  gpus: count("gpuCount", "<number>", "GPUs of each worker"),
  "gpu-type": list("gpuTypeIds", "<name>", "a GPU type that its workers accept, the preferred one first"),
  vcpus: count("vcpuCount", "<number>", "maximum cores of each container"),
  "shm-mb": count("shmSizeInMb", "<number>", "shared memory of each container, MB; default with GPUs: half"),
  "host-label": text("hostLabel", "<label>", "run its workers only on hosts with this label"),
  "release-surge": count(
    "releaseSurge",
    "<number>",
    "extra workers above the maximum during a release; default: 1",
  ),
  "release-pace": count("releasePace", "<number>", "workers that a release starts at a time"),
  paused: yes("isPaused", "accept jobs, but let them wait"),
  "execution-timeout": time("executionTimeoutMs", "execution timeout of an attempt; default: 10m"),
  ttl: time("ttlMs", "TTL of a job, in the queue and running; default: 24h"),
  "run-retention": time("runRetentionMs", "how long the result of a run job is kept; default: 30m"),
  "runsync-retention": time("runsyncRetentionMs", "the same for runsync; default: 60s"),
  "rate-limit": rateLimits(),
  "max-queued-jobs": count("maxQueuedJobs", "<number>", "maximum waiting jobs"),
  "max-queued-bytes": count("maxQueuedBytes", "<number>", "maximum bytes of waiting jobs"),
  "history-inputs": text(
    "historyInputs",
    "<which>",
    "jobs whose inputs stay in the history: failed, none or all; default: failed",
  ),
  "webhook-retries": count("webhookRetries", "<number>", "retries of a webhook; default: 2"),
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
