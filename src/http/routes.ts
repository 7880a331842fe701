import type { HttpContext } from "./context.ts";
import { accountRoutes } from "./manage/accounts.ts";
import { backupRoute } from "./manage/backup.ts";
import { endpointRoutes } from "./manage/endpoints.ts";
import { jobRoutes } from "./manage/jobs.ts";
import { keyRoutes } from "./manage/keys.ts";
import { logRoutes } from "./manage/logs.ts";
import { registryLoginRoutes } from "./manage/registry-logins.ts";
import { releaseRoutes } from "./manage/releases.ts";
import { rotateSecretsRoute } from "./manage/rotate-secrets.ts";
import { statisticsRoutes } from "./manage/statistics.ts";
import { templateRoutes } from "./manage/templates.ts";
import { webhookSecretRoutes } from "./manage/webhook-secrets.ts";
import { webhookRoutes } from "./manage/webhooks.ts";
import { workerRoutes } from "./manage/workers.ts";
import { healthzRoute, readyzRoute } from "./operate/healthz.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { startRoute } from "./start-route.ts";
import { sessionRoutes } from "./console/session-routes.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { openApiRoute } from "./openapi/openapi-route.ts";
import { openAiRoute } from "./openai/openai-route.ts";
import { currentRoute } from "./current-route.ts";
import { cancelRoute } from "./queue/cancel.ts";
import { healthRoute } from "./queue/health.ts";
import { purgeQueueRoute } from "./queue/purge-queue.ts";
import { requestsRoute } from "./queue/requests.ts";
import { retryRoute } from "./queue/retry.ts";
import { runRoute } from "./queue/run.ts";
import { runsyncRoute } from "./queue/runsync.ts";
import { statusSyncRoute } from "./queue/status-sync.ts";
import { statusRoute } from "./queue/status.ts";
import { streamRoute } from "./queue/stream.ts";
import { metricsRoute } from "./metrics/metrics-route.ts";
import type { Route } from "./route.ts";
import { exchangeRoute } from "./worker/exchange.ts";
import { jobDoneRoute } from "./worker/job-done.ts";
import { jobStopRoute } from "./worker/job-stop.ts";
import { jobStreamRoute } from "./worker/job-stream.ts";
import { jobTakeBatchRoute, jobTakeRoute } from "./worker/job-take.ts";
import { pingRoute } from "./worker/ping.ts";

/**
 * Every path there is. Each is served under /sdk as well, in the dialect of the public SDKs (design, row 1).
 */
export function routes(context: HttpContext): Route[] {
  const all = [
    runRoute(context),
    runsyncRoute(context),
    statusRoute(context),
    statusSyncRoute(context),
    streamRoute(context),
    cancelRoute(context),
    retryRoute(context),
    purgeQueueRoute(context),
    healthRoute(context),
    requestsRoute(context),
    openAiRoute(context),
    jobTakeRoute(context),
    jobTakeBatchRoute(context),
    jobStopRoute(context),
    jobDoneRoute(context),
    jobStreamRoute(context),
    pingRoute(context),
    exchangeRoute(context),
    ...templateRoutes(context),
    ...registryLoginRoutes(context),
    ...endpointRoutes(context),
    ...workerRoutes(context),
    ...jobRoutes(context),
    ...releaseRoutes(context),
    ...statisticsRoutes(context),
    ...logRoutes(context),
    ...webhookRoutes(context),
    ...webhookSecretRoutes(context),
    ...keyRoutes(context),
    ...accountRoutes(context),
    rotateSecretsRoute(context),
    backupRoute(context),
    metricsRoute(context),
    startRoute,
    healthzRoute(context),
    readyzRoute(context),
    openApiRoute(),
    ...docsRoutes(),
    ...consoleRoutes(),
    ...sessionRoutes(context),
  ];
  return context.engine.store.shared === undefined
    ? all
    : all.map((route) => currentRoute(route, context.engine.configuration));
}
