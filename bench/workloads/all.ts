import type { Workload } from "../workload.ts";
import { BACKUP } from "./backup.ts";
import { COLD_START } from "./cold-start.ts";
import { DELETION } from "./deletion.ts";
import { DEPTH, DEPTH_ON_POSTGRES } from "./depth.ts";
import { ENDPOINTS } from "./endpoints.ts";
import { FIND } from "./find.ts";
import { HANDLER_START } from "./handler-start.ts";
import { HISTORY } from "./history.ts";
import { IDLE } from "./idle.ts";
import { JOBS_ON_POSTGRES } from "./jobs-postgres.ts";
import { JOBS_ON_SLOW_DISK } from "./jobs-slow-disk.ts";
import { JOBS } from "./jobs.ts";
import { LARGE_BODIES } from "./large-bodies.ts";
import { MEMORY } from "./memory.ts";
import { RATE_LIMITS_AT_FULL } from "./rate-limits.ts";
import { RUNSYNC } from "./runsync.ts";
import { START } from "./start.ts";
import { STREAMS } from "./streams.ts";
import { WEBHOOKS } from "./webhooks.ts";

/** In the order of a full run; the extra ones last. */
export const WORKLOADS: readonly Workload[] = [
  JOBS,
  JOBS_ON_POSTGRES,
  RUNSYNC,
  HANDLER_START,
  DEPTH,
  MEMORY,
  LARGE_BODIES,
  ENDPOINTS,
  START,
  RATE_LIMITS_AT_FULL,
  FIND,
  HISTORY,
  JOBS_ON_SLOW_DISK,
  IDLE,
  STREAMS,
  BACKUP,
  COLD_START,
  DELETION,
  DEPTH_ON_POSTGRES,
  WEBHOOKS,
];
