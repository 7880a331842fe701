/** The state of the server. Without a disk if the data is in memory. */
export interface Ready {
  readonly disk?: {
    readonly state: "ok" | "low" | "full";
    readonly freeBytes: number;
    readonly totalBytes: number;
  };
}

/** The answers of the public API, as far as the console reads them (docs/api.md). */
export interface Session {
  readonly account: { readonly id: string; readonly name: string };
  readonly scopes: readonly Scope[];
  /** The key may use only these endpoints. */
  readonly endpoints?: readonly string[];
}

/** The scopes of a key. Each includes those before it. */
export const RANKS = ["read", "write", "manage", "admin"] as const;

/** The scope for Prometheus is separate. */
export type Scope = (typeof RANKS)[number] | "metrics";

export const JOB_STATES = [
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
  "FAILED",
  "CANCELLED",
  "TIMED_OUT",
] as const;

export type JobState = (typeof JOB_STATES)[number];

export interface LastExit {
  readonly worker?: string;
  readonly how: string;
  readonly at: string;
  readonly lastLines: readonly string[];
}

export interface Fleet {
  readonly state: string;
  readonly reason?: string;
  readonly nextStartAt?: string;
  readonly lastExit?: LastExit;
  readonly coldStartMs?: number;
}

export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly templateId: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workersMin: number;
  readonly workersMax: number;
  readonly version: number;
  readonly isPaused: boolean;
  readonly createdAt: string;
  readonly fleet?: Fleet;
  /** The settings, by name. */
  readonly [member: string]: unknown;
}

export interface Health {
  readonly jobs: Readonly<Record<"completed" | "failed" | "inProgress" | "inQueue" | "retried", number>>;
  readonly workers: Readonly<
    Record<"idle" | "initializing" | "ready" | "running" | "throttled" | "unhealthy", number>
  >;
}

export interface JobAndState {
  readonly id: string;
  readonly status: JobState;
}

export interface JobInList extends JobAndState {
  readonly delayTime?: number;
  readonly executionTime?: number;
  readonly workerId?: string;
  readonly retries?: number;
}

export interface JobPage {
  readonly requests: readonly JobInList[];
  readonly nextCursor?: string;
}

export interface ColdStart {
  readonly wantedAt: string;
  readonly pullMs?: number;
  readonly bootMs?: number;
  readonly firstPollMs?: number;
}

export interface Attempt {
  readonly attempt: number;
  readonly queuedAt: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly workerId?: string;
  readonly version?: number;
  readonly outcome: string;
  readonly error?: string;
  readonly exit?: { readonly reason: string };
  readonly coldStart?: ColdStart;
  readonly chunks: number;
}

export interface Timeline extends JobAndState {
  readonly attempt: number;
  readonly retries: number;
  readonly submittedAt: string;
  readonly queuedAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly workerId?: string;
  readonly version?: number;
  readonly executionTimeout: number;
  readonly ttl: number;
  readonly position?: number;
  readonly reason?: { readonly code: string; readonly message: string };
  readonly attempts: readonly Attempt[];
  readonly chunks: { readonly count: number; readonly bytes: number };
  readonly progress?: unknown;
  readonly webhooks: readonly Webhook[];
}

/** The periods of statistics. */
export const PERIODS = ["15m", "1h", "7d"] as const;

export type Period = (typeof PERIODS)[number] | "30d";

export interface Percentiles {
  readonly count: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

/** The statistics of a period (docs/statistics.md). */
export interface Figures {
  readonly submitted: number;
  readonly taken: number;
  readonly completed: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly cancelled: number;
  readonly retried: number;
  readonly lost: number;
  readonly delay: Percentiles;
  readonly execution: Percentiles;
}

export interface EndpointNow {
  readonly inQueue: number;
  readonly inProgress: number;
  readonly oldestMs?: number;
  readonly workers: Health["workers"];
}

export interface StatisticsPoint extends Figures {
  readonly at: string;
  readonly inQueue: number;
  readonly inProgress: number;
}

export interface EndpointFigures {
  readonly endpointId: string;
  readonly name: string;
  readonly now: EndpointNow;
  readonly total: Figures;
}

export interface AllStatistics {
  readonly period: Period;
  readonly endpoints: readonly EndpointFigures[];
}

export interface Statistics {
  readonly endpointId: string;
  readonly period: Period;
  readonly step: number;
  readonly from: string;
  readonly to: string;
  readonly now: EndpointNow;
  readonly total: Figures;
  readonly points: readonly StatisticsPoint[];
}

export interface Worker {
  readonly id: string;
  readonly state: string;
  readonly reason?: string;
  readonly managed: boolean;
  readonly provider?: string;
  readonly jobs: readonly string[];
  readonly startedAt?: string;
  readonly lastContact?: string;
  readonly heartbeats: boolean;
  readonly version?: number;
}

export interface Release {
  readonly version: number;
  readonly state: "ROLLING" | "PAUSED" | "COMPLETE" | "STOPPED" | "REPLACED";
  readonly imageName: string;
  readonly pinnedImage?: string;
  readonly rollbackTo?: number;
  readonly createdAt: string;
  readonly pausedAt?: string;
  readonly servedAt?: string;
  readonly completeAt?: string;
  readonly stopped?: { readonly at: string; readonly lastExit: LastExit };
}

export const WEBHOOK_STATES = ["PENDING", "DELIVERED", "FAILED"] as const;

export type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface Webhook {
  readonly id: string;
  readonly job: string;
  readonly jobStatus: JobState;
  readonly status: WebhookState;
  readonly receiver: string;
  readonly attempts: number;
  readonly createdAt: string;
  readonly nextAttemptAt?: string;
  readonly lastAttemptAt?: string;
  readonly responseStatus?: number;
  readonly error?: string;
}

export interface WebhookPage {
  readonly webhooks: readonly Webhook[];
  readonly nextCursor?: string;
}

export interface WebhookSecret {
  readonly secret: string;
  /** Signs as well, until `previousUntil`. */
  readonly previousSecret?: string;
  readonly previousUntil?: string;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly imageName: string;
  readonly category: "NVIDIA" | "AMD" | "CPU";
  readonly containerDiskInGb: number;
  readonly containerRegistryAuthId: string;
  readonly dockerEntrypoint: readonly string[];
  readonly dockerStartCmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isPlatform: boolean;
  readonly isPublic: boolean;
  readonly isServerless: boolean;
  readonly ports: readonly string[];
  readonly readme: string;
  readonly runtimeInMin: number;
  readonly volumeInGb: number;
  readonly volumeMountPath: string;
}

/** No answer has the username and password. */
export interface RegistryLogin {
  readonly id: string;
  readonly name: string;
}

export interface Key {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly endpoints?: readonly string[];
  readonly createdAt?: string;
  readonly lastUsedAt?: string;
  readonly previousUntil?: string;
}

export interface NewKey extends Key {
  readonly key: string;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly createdAt?: string;
}

export interface LogLine {
  readonly time: string;
  readonly stream: "stdout" | "stderr" | "forebay";
  readonly line: string;
}
