import type * as is from "./answers.ts";

/** An error of the server, with its message, code and status; or that the server did not answer. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(sentence: string, code: string, status: number) {
    super(sentence);
    this.code = code;
    this.status = status;
  }
}

/** Called when the session has ended. Set while somebody is signed in. */
export const session = { onOver: (): void => undefined };

type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** A call of the public API. Returns the answer as it is. Throws ApiError. */
export async function send(
  method: Method,
  path: string,
  body?: string,
  signal?: AbortSignal,
): Promise<Response> {
  const answer = await answered(method, path, body, signal);
  if (answer.ok) return answer;
  const told = await errorIn(answer);
  const isOver = told.code === "KEY_UNKNOWN" || told.code === "KEY_MISSING";
  if (isOver) session.onOver();
  throw told;
}

async function answered(
  method: Method,
  path: string,
  body: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const headers = body === undefined ? undefined : { "content-type": "application/json" };
  try {
    return await fetch(path, { method, body, headers, signal, cache: "no-store" });
  } catch (error) {
    if (signal?.aborted) throw error;
    // Only what is read is asked again.
    const again = method === "GET" ? " Trying again." : "";
    throw new ApiError(`The server does not answer.${again}`, "NO_ANSWER", 0);
  }
}

async function errorIn(answer: Response): Promise<ApiError> {
  const text = await answer.text();
  try {
    const { error, code, status } = JSON.parse(text);
    return new ApiError(error, code, status);
  } catch {
    return new ApiError(`The server answered with status ${answer.status}.`, "NO_SENTENCE", answer.status);
  }
}

async function ask<Answer>(
  method: Method,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  const answer = await send(method, path, body === undefined ? undefined : JSON.stringify(body), signal);
  // Null for 204. The types are those of the server's schemas, which its tests compare with its answers.
  return JSON.parse((await answer.text()) || "null");
}

const get = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  ask("GET", path, undefined, signal);
const post = <Answer>(path: string, body: unknown = {}): Promise<Answer> => ask("POST", path, body);

/** A page of a list, in the member `name`. */
type Page<Member extends string, Item> = Readonly<Record<Member, readonly Item[]>> & {
  readonly nextCursor?: string;
};

/** All records of a paged list. */
async function all<Member extends string, Item>(
  ask: (page: string) => Promise<Page<Member, Item>>,
  member: Member,
): Promise<Item[]> {
  const items: Item[] = [];
  let page: URLSearchParams | undefined = new URLSearchParams({ limit: "1000" });
  while (page !== undefined) {
    const answer: Page<Member, Item> = await ask(page.toString());
    items.push(...answer[member]);
    const { nextCursor: cursor } = answer;
    page = cursor === undefined ? undefined : new URLSearchParams({ limit: "1000", cursor });
  }
  return items;
}

/** An endpoint by its id, or by its name if a user typed that into the address. */
const inPath = encodeURIComponent;

/** The only access to the server: its public API, called with the session's cookie. */
export const api = {
  signIn: (key: string) => post<is.Session>("/console/session", { key }),
  session: () => get<is.Session>("/console/session"),
  ready: (signal?: AbortSignal) => get<is.Ready>("/readyz", signal),
  signOut: () => ask<void>("DELETE", "/console/session"),

  endpoints: (signal?: AbortSignal) => get<is.Endpoint[]>("/v1/endpoints", signal),
  endpoint: (id: string, signal?: AbortSignal) => get<is.Endpoint>(`/v1/endpoints/${inPath(id)}`, signal),
  createEndpoint: (fields: object) => post<is.Endpoint>("/v1/endpoints", fields),
  updateEndpoint: (id: string, fields: object) =>
    ask<is.Endpoint>("PATCH", `/v1/endpoints/${inPath(id)}`, fields),
  deleteEndpoint: (id: string) => ask<void>("DELETE", `/v1/endpoints/${inPath(id)}`),
  health: (id: string, signal?: AbortSignal) => get<is.Health>(`/v2/${inPath(id)}/health`, signal),
  purge: (id: string) => post<is.Purged>(`/v2/${inPath(id)}/purge-queue`),

  allStatistics: (period: is.Period, signal?: AbortSignal) =>
    get<is.AllStatistics>(allStatisticsPath(period), signal),
  statistics: (id: string, period: is.Period, signal?: AbortSignal) =>
    get<is.Statistics>(statisticsPath(id, period), signal),

  newestJob: async (id: string, signal?: AbortSignal) =>
    (await get<is.JobPage>(`/v2/${inPath(id)}/requests?limit=1`, signal)).requests[0],
  /** A page of the jobs that the query names (docs/find-jobs.md). */
  findJobs(
    query: string,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
    signal?: AbortSignal,
  ) {
    const page = new URLSearchParams(query);
    page.set("limit", String(limit));
    if (cursor !== undefined) page.set("cursor", cursor);
    return get<is.FoundJobs>(`/v1/jobs?${page.toString()}`, signal);
  },
  foundJob: (job: string, signal?: AbortSignal) => get<is.FoundJob>(`/v1/jobs/${inPath(job)}`, signal),

  countJobs: (action: is.JobAction, jobs: is.ManyJobs) =>
    post<is.ActionCount>(`/v1/jobs/${action}`, { ...jobs, dryRun: true }),
  actOnJobs: (action: is.JobAction, jobs: is.ManyJobs) => post<is.JobOperation>(`/v1/jobs/${action}`, jobs),
  jobOperation: (id: string, signal?: AbortSignal) =>
    get<is.JobOperation>(`/v1/job-operations/${id}`, signal),
  jobOperations: async (signal?: AbortSignal) =>
    (await get<is.JobOperations>("/v1/job-operations", signal)).operations,
  stopJobOperation: (id: string) => post<is.JobOperation>(`/v1/job-operations/${id}/cancel`),

  workers: async (id: string, signal?: AbortSignal) => ({
    workers: await all(
      (page) => get<is.WorkerPage>(`/v1/endpoints/${inPath(id)}/workers?${page}`, signal),
      "workers",
    ),
  }),
  stopWorker: (id: string, worker: string) =>
    ask<void>("DELETE", `/v1/endpoints/${inPath(id)}/workers/${worker}`),
  replaceWorker: (id: string, worker: string) =>
    post<void>(`/v1/endpoints/${inPath(id)}/workers/${worker}/replace`),
  workerLog: (id: string, worker: string) =>
    `/v1/endpoints/${inPath(id)}/workers/${worker}/logs?tail=500&follow=true`,

  releases: async (id: string, signal?: AbortSignal) => ({
    releases: await all(
      (page) => get<is.ReleasePage>(`/v1/endpoints/${inPath(id)}/releases?${page}`, signal),
      "releases",
    ),
  }),
  pauseRelease: (id: string, version: number, isPaused: boolean) =>
    ask<is.Release>("PATCH", `/v1/endpoints/${inPath(id)}/releases/${version}`, { isPaused }),
  rollBack: (id: string, version: number) =>
    post<is.Release>(`/v1/endpoints/${inPath(id)}/releases`, { version }),

  webhooks(
    id: string,
    query: { status: string; cursor?: string | undefined; limit: number },
    signal?: AbortSignal,
  ) {
    const text = new URLSearchParams({ limit: String(query.limit) });
    if (query.status !== "") text.set("status", query.status);
    if (query.cursor !== undefined) text.set("cursor", query.cursor);
    return get<is.WebhookPage>(`/v1/endpoints/${inPath(id)}/webhooks?${text.toString()}`, signal);
  },
  redeliver: (id: string, delivery: string) =>
    post<is.Webhook>(`/v1/endpoints/${inPath(id)}/webhooks/${delivery}/redeliver`),

  redeliverRange: (id: string, range: { status: string; from: string; to: string }) =>
    post<is.Redelivered>(`/v1/endpoints/${inPath(id)}/webhooks/redeliver`, range),
  webhookSecret: (id: string, signal?: AbortSignal) =>
    get<is.WebhookSecret>(`/v1/endpoints/${inPath(id)}/webhook-secret`, signal),
  rotateWebhookSecret: (id: string, overlapMs: number) =>
    post<is.WebhookSecret>(`/v1/endpoints/${inPath(id)}/webhook-secret/rotate`, { overlapMs }),

  submit: (id: string, body: string, signal?: AbortSignal) =>
    send("POST", `/v2/${inPath(id)}/run`, body, signal),
  /** As text: payloads are shown as they were sent, and can be large. */
  async record(id: string, job: string, signal?: AbortSignal): Promise<string> {
    return (await send("GET", recordPath(id, job), undefined, signal)).text();
  },
  async input(job: string, signal?: AbortSignal): Promise<string> {
    return (await send("GET", inputPath(job), undefined, signal)).text();
  },
  timeline: (id: string, job: string, signal?: AbortSignal) =>
    get<is.Timeline>(`/v1/endpoints/${inPath(id)}/jobs/${job}`, signal),
  jobLog: (id: string, job: string) => `/v1/endpoints/${inPath(id)}/jobs/${job}/logs`,
  cancel: (id: string, job: string) => post<is.JobAndState>(`/v2/${inPath(id)}/cancel/${job}`),
  retry: (id: string, job: string) => post<is.JobAndState>(`/v2/${inPath(id)}/retry/${job}`),

  templates: (signal?: AbortSignal) =>
    get<is.Template[]>("/v1/templates?includePublicTemplates=true&includeRunpodTemplates=true", signal),
  ownTemplates: (signal?: AbortSignal) => get<is.Template[]>("/v1/templates", signal),
  createTemplate: (fields: object) => post<is.Template>("/v1/templates", fields),
  updateTemplate: (id: string, fields: object) => ask<is.Template>("PATCH", `/v1/templates/${id}`, fields),
  deleteTemplate: (id: string) => ask<void>("DELETE", `/v1/templates/${id}`),

  registryLogins: (signal?: AbortSignal) => get<is.RegistryLogin[]>("/v1/containerregistryauth", signal),
  createRegistryLogin: (fields: object) => post<is.RegistryLogin>("/v1/containerregistryauth", fields),
  deleteRegistryLogin: (id: string) => ask<void>("DELETE", `/v1/containerregistryauth/${id}`),

  hosts: (signal?: AbortSignal) => all((page) => get<is.HostPage>(`/v1/hosts?${page}`, signal), "hosts"),
  host: (name: string, signal?: AbortSignal) => get<is.Host>(`/v1/hosts/${inPath(name)}`, signal),
  createHost: (fields: object) => post<is.Host>("/v1/hosts", fields),
  updateHost: (name: string, changes: object) => ask<is.Host>("PATCH", `/v1/hosts/${inPath(name)}`, changes),
  deleteHost: (name: string, isLost: boolean) =>
    ask<void>("DELETE", `/v1/hosts/${inPath(name)}?lost=${isLost}`),

  keys: (account?: string, signal?: AbortSignal) =>
    all((page) => {
      const whose = account === undefined ? "" : `&account=${account}`;
      return get<is.KeyPage>(`/v1/keys?${page}${whose}`, signal);
    }, "keys"),
  createKey: (fields: object) => post<is.NewKey>("/v1/keys", fields),
  rotateKey: (id: string, overlapMs: number) => post<is.NewKey>(`/v1/keys/${id}/rotate`, { overlapMs }),
  revokeKey: (id: string) => ask<void>("DELETE", `/v1/keys/${id}`),

  accounts: (signal?: AbortSignal) =>
    all((page) => get<is.AccountPage>(`/v1/accounts?${page}`, signal), "accounts"),
  createAccount: (name: string) => post<is.Account>("/v1/accounts", { name }),
};

/** Server-Sent Events of a path, with the session's cookie. */
export function openEvents(path: string): EventSource {
  const events = new EventSource(path);
  // An EventSource does not say why it was refused.
  events.addEventListener("error", () => void (events.readyState === EventSource.CLOSED && askWhy()));
  return events;
}

async function askWhy(): Promise<void> {
  try {
    await api.session();
  } catch (error) {
    // If the session has ended, the page already knows.
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The path of the statistics of all endpoints, which are also pushed. */
export function allStatisticsPath(period: is.Period): string {
  return `/v1/statistics?period=${period}`;
}

/** The path of the statistics of one endpoint, which are also pushed. */
export function statisticsPath(endpoint: string, period: is.Period): string {
  return `/v1/endpoints/${inPath(endpoint)}/statistics?period=${period}`;
}

/** The path that pushes the chunks of a job. */
export function streamPath(endpoint: string, job: string): string {
  return `/v2/${inPath(endpoint)}/stream/${job}`;
}

/** The path of the record of a job, also to save it as a file. */
export function recordPath(endpoint: string, job: string): string {
  return `/v2/${inPath(endpoint)}/status/${job}`;
}

/** The path of the input of a job, also of one that only the history has. */
export function inputPath(job: string): string {
  return `/v1/jobs/${inPath(job)}/input`;
}
