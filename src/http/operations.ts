import { currentRoute } from "./current-route.ts";
import { CONSOLE_OPERATIONS } from "./console/console-operations.ts";
import { SESSION_OPERATIONS } from "./console/session-operations.ts";
import type { HttpContext } from "./context.ts";
import { DOCS_OPERATIONS } from "./docs/docs-operations.ts";
import { ACCOUNT_OPERATIONS } from "./manage/accounts.ts";
import { backUpData } from "./manage/backup.ts";
import { ENDPOINT_OPERATIONS } from "./manage/endpoints.ts";
import { FIND_JOB_OPERATIONS } from "./manage/find-jobs.ts";
import { HOST_OPERATIONS } from "./manage/hosts.ts";
import { MANY_JOBS_OPERATIONS } from "./manage/job-operations.ts";
import { JOB_OPERATIONS } from "./manage/jobs.ts";
import { KEY_OPERATIONS } from "./manage/keys.ts";
import { LOG_OPERATIONS } from "./manage/logs.ts";
import { REGISTRY_LOGIN_OPERATIONS } from "./manage/registry-logins.ts";
import { RELEASE_OPERATIONS } from "./manage/releases.ts";
import { rotateSecrets } from "./manage/rotate-secrets.ts";
import { STATISTICS_OPERATIONS } from "./manage/statistics.ts";
import { TEMPLATE_OPERATIONS } from "./manage/templates.ts";
import { WEBHOOK_SECRET_OPERATIONS } from "./manage/webhook-secrets.ts";
import { WEBHOOK_OPERATIONS } from "./manage/webhooks.ts";
import { WORKER_OPERATIONS } from "./manage/workers.ts";
import { V2_CATALOG_OPERATIONS } from "./manage-v2/catalog.ts";
import { V2_ENDPOINT_OPERATIONS } from "./manage-v2/endpoints.ts";
import { workerLogsV2 } from "./manage-v2/logs.ts";
import { V2_REGISTRY_OPERATIONS } from "./manage-v2/registries.ts";
import { V2_TEMPLATE_OPERATIONS } from "./manage-v2/templates.ts";
import { V2_WORKER_OPERATIONS } from "./manage-v2/workers.ts";
import { metrics } from "./metrics/metrics-operation.ts";
import { OPENAI_OPERATIONS } from "./openai/openai-operations.ts";
import { openApiOperation } from "./openapi/openapi-operation.ts";
import { type Operation, routeOf } from "./operation.ts";
import { healthz, readyz } from "./operate/healthz.ts";
import { start } from "./operate/start.ts";
import { cancel, retry } from "./queue/cancel-retry.ts";
import { health, purgeQueue, requests } from "./queue/queue.ts";
import { run } from "./queue/run.ts";
import { runsync } from "./queue/runsync.ts";
import { status, statusByPost } from "./queue/status.ts";
import { statusSync, statusSyncByPost } from "./queue/status-sync.ts";
import { stream, streamByPost } from "./queue/stream.ts";
import type { Route } from "./router.ts";
import { exchangeNews } from "./worker/exchange.ts";
import { reportResult } from "./worker/job-done.ts";
import { reportChunk } from "./worker/job-stream.ts";
import { takeJob, takeJobs } from "./worker/job-take.ts";
import { ping, stopJobs } from "./worker/running-jobs.ts";

/**
 * All operations, in the order of the OpenAPI document. Each is also served under /sdk, in the dialect of the
 * public SDKs (design, row 1).
 */
export const OPERATIONS = [
  run,
  runsync,
  status,
  statusByPost,
  statusSync,
  statusSyncByPost,
  stream,
  streamByPost,
  cancel,
  retry,
  purgeQueue,
  health,
  requests,
  ...OPENAI_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...WORKER_OPERATIONS,
  ...LOG_OPERATIONS,
  ...RELEASE_OPERATIONS,
  ...JOB_OPERATIONS,
  ...FIND_JOB_OPERATIONS,
  ...MANY_JOBS_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...WEBHOOK_SECRET_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...TEMPLATE_OPERATIONS,
  ...REGISTRY_LOGIN_OPERATIONS,
  ...V2_ENDPOINT_OPERATIONS,
  ...V2_WORKER_OPERATIONS,
  workerLogsV2,
  ...V2_TEMPLATE_OPERATIONS,
  ...V2_REGISTRY_OPERATIONS,
  ...V2_CATALOG_OPERATIONS,
  ...HOST_OPERATIONS,
  ...KEY_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  rotateSecrets,
  backUpData,
  start,
  metrics,
  healthz,
  readyz,
  openApiOperation(all),
  ...DOCS_OPERATIONS,
  ...CONSOLE_OPERATIONS,
  ...SESSION_OPERATIONS,
  takeJob,
  takeJobs,
  stopJobs,
  reportResult,
  reportChunk,
  ping,
  exchangeNews,
] as const satisfies readonly Operation[];

/** For the OpenAPI document, which is one of them. */
function all(): readonly Operation[] {
  return OPERATIONS;
}

/** The routes of all operations on a server. */
export function routes(context: HttpContext): Route[] {
  const { store, configuration } = context.engine;
  const served = all().map((operation) => routeOf(operation, context));
  const document = served.find(({ path }) => path === "/openapi.json");
  if (document !== undefined) served.push({ ...document, path: "/v1/openapi.json" });
  return store.shared === undefined ? served : served.map((route) => currentRoute(route, configuration));
}
