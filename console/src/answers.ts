import type { SessionAnswer } from "../../src/http/answers/key.ts";
import type { JobAndStateAnswer } from "../../src/http/answers/job.ts";
import type { ActionCountAnswer } from "../../src/http/answers/job-operation.ts";
import type { StatisticsAnswer } from "../../src/http/answers/statistics.ts";
import type { WebhookAnswer } from "../../src/http/answers/webhook.ts";

/**
 * The answers of the public API. Their types are those of the server's schemas, so a change there that breaks
 * the console fails the type check. Only types come from there: the page has no code of the server.
 */
export type { EndpointAnswer as Endpoint } from "../../src/http/answers/endpoint.ts";
export type {
  FoundJobAnswer as FoundJob,
  FoundJobsAnswer as FoundJobs,
} from "../../src/http/answers/found-job.ts";
export type { HostAnswer as Host, HostsAnswer as HostPage } from "../../src/http/answers/host.ts";
export type {
  JobAndStateAnswer as JobAndState,
  RequestsAnswer as JobPage,
} from "../../src/http/answers/job.ts";
export type {
  ActionCountAnswer as ActionCount,
  JobOperationAnswer as JobOperation,
  JobOperationsAnswer as JobOperations,
} from "../../src/http/answers/job-operation.ts";
export type {
  AccountAnswer as Account,
  AccountsAnswer as AccountPage,
  KeyAnswer as Key,
  KeysAnswer as KeyPage,
  NewKeyAnswer as NewKey,
  SessionAnswer as Session,
} from "../../src/http/answers/key.ts";
export type { HealthAnswer as Health, PurgedAnswer as Purged } from "../../src/http/answers/queue.ts";
export type {
  ReleaseAnswer as Release,
  ReleasesAnswer as ReleasePage,
} from "../../src/http/answers/release.ts";
export type { ReadyAnswer as Ready } from "../../src/http/answers/server.ts";
export type {
  AllStatisticsAnswer as AllStatistics,
  FiguresAnswer as Figures,
  PointAnswer as StatisticsPoint,
  StatisticsAnswer as Statistics,
  SummaryAnswer as EndpointFigures,
} from "../../src/http/answers/statistics.ts";
export type {
  RegistryLoginAnswer as RegistryLogin,
  TemplateAnswer as Template,
} from "../../src/http/answers/template.ts";
export type {
  AttemptAnswer as Attempt,
  TimelineAnswer as Timeline,
} from "../../src/http/answers/timeline.ts";
export type {
  RedeliveredAnswer as Redelivered,
  WebhookAnswer as Webhook,
  WebhooksAnswer as WebhookPage,
  WebhookSecretAnswer as WebhookSecret,
} from "../../src/http/answers/webhook.ts";
export type {
  LogLineAnswer as LogLine,
  WorkerAnswer as Worker,
  WorkersAnswer as WorkerPage,
} from "../../src/http/answers/worker.ts";

export type Scope = SessionAnswer["scopes"][number];

/** The scopes of a key. Each includes those before it. The scope for Prometheus is separate. */
export const RANKS = ["read", "write", "manage", "admin"] as const satisfies readonly Scope[];

export type JobState = JobAndStateAnswer["status"];

export const JOB_STATES = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
] as const satisfies readonly JobState[];

/** What can be done with many jobs at once. */
export type JobAction = ActionCountAnswer["action"];

/** The jobs of an action: named ones, or all that match. */
export type ManyJobs =
  | { readonly jobs: readonly { readonly endpoint: string; readonly id: string }[] }
  | { readonly filter: Readonly<Record<string, string | readonly string[]>> };

export type Period = StatisticsAnswer["period"];

/** The periods of statistics that the page offers. */
export const PERIODS = ["15m", "1h", "24h", "7d"] as const satisfies readonly Period[];

/** How many, and the times that a share of them kept to, ms. */
export type Percentiles = StatisticsAnswer["total"]["delay"];

export type WebhookState = WebhookAnswer["status"];

export const WEBHOOK_STATES = ["PENDING", "DELIVERED", "FAILED"] as const satisfies readonly WebhookState[];
