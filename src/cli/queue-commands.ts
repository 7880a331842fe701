import { cancel } from "./queue/cancel.ts";
import { health } from "./queue/health.ts";
import { job } from "./queue/job.ts";
import { purge } from "./queue/purge.ts";
import { requests } from "./queue/requests.ts";
import { retry } from "./queue/retry.ts";
import { run } from "./queue/run.ts";
import { runsync } from "./queue/runsync.ts";
import { statistics } from "./queue/statistics.ts";
import { status } from "./queue/status.ts";
import { stream } from "./queue/stream.ts";

/** The commands that use the queue of a server, by name. */
export const QUEUE_COMMANDS = {
  run,
  runsync,
  status,
  job,
  stream,
  cancel,
  retry,
  health,
  statistics,
  purge,
  requests,
};
