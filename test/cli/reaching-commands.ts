import { until } from "../support/until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import type { WebhookServer } from "../support/webhook-server.ts";

/** What is typed behind `forebay`, and stands on the standard input. */
export interface Typed {
  readonly args: readonly string[];
  readonly input?: string;
  /** What happens while it waits for the operation. */
  readonly meanwhile?: () => Promise<unknown>;
}

/** The endpoint whose workers the server starts by itself. */
export const DEMO_ENDPOINT = "hello";

/** Operations that are others by a second method or path, which public clients use. */
export const SAME_AS: Readonly<Record<string, string>> = {
  "POST /v2/{endpoint}/status/{job}": "GET /v2/{endpoint}/status/{job}",
  "POST /v2/{endpoint}/status-sync/{job}": "GET /v2/{endpoint}/status-sync/{job}",
  "POST /v2/{endpoint}/stream/{job}": "GET /v2/{endpoint}/stream/{job}",
  "POST /v1/templates/{template}/update": "PATCH /v1/templates/{template}",
  "POST /v1/endpoints/{endpoint}/update": "PATCH /v1/endpoints/{endpoint}",
};

/** Operations of other programs: what Prometheus scrapes, and who is signed in at the console. */
export const OF_OTHERS: readonly string[] = ["GET /metrics", "GET /console/session"];

/** For each operation a command that calls it; what it needs is made when it is asked for. */
export function reachingCommands(
  given: () => WebhookServer,
  /** The address of an engine that no host has. */
  newEngine: () => Promise<string>,
): Record<string, () => Promise<Typed>> {
  const server = () => given().server;
  const endpoint = () => given().endpoint;
  const name = (): string => crypto.randomUUID();
  const typed =
    (...args: string[]) =>
    async (): Promise<Typed> => ({ args });
  const own =
    (...args: string[]) =>
    async (): Promise<Typed> => ({ args: [...args, endpoint()] });

  /** A job that waits, has failed, or whose webhook was delivered. */
  const waiting = (): Promise<string> => server().run(endpoint());
  async function failed(): Promise<string> {
    await server().post(`/v2/${endpoint()}/purge-queue`);
    const job = await waiting();
    await given().worker.take(1);
    await given().worker.done(job, { error: "no" });
    return job;
  }
  async function greeted(): Promise<string> {
    const { json } = await server().post(`/v2/${DEMO_ENDPOINT}/runsync?wait=60000`, { input: {} });
    return json.id;
  }
  async function delivered(): Promise<string> {
    await using receiver = await WebhookReceiver.start();
    await server().post(`/v2/${endpoint()}/purge-queue`);
    const job = await given().completed(receiver.url());
    const found = await until("the webhook is delivered", async () =>
      (await given().listed()).find((webhook) => webhook.job === job && webhook.status === "DELIVERED"),
    );
    return found.id;
  }
  async function template(): Promise<string> {
    return (await server().post("/v1/templates", { name: name(), imageName: "process/hello" })).json.id;
  }
  async function keyId(): Promise<string> {
    return (await server().post("/v1/keys", { name: name(), scopes: ["read"] })).json.id;
  }
  /** A worker of the example that goes on. */
  async function managed(): Promise<string> {
    await server().call("PATCH", `/v1/endpoints/${DEMO_ENDPOINT}`, { workersMin: 1 });
    return until("a worker of the example runs", async () => {
      const { json } = await server().get(`/v1/endpoints/${DEMO_ENDPOINT}/workers`);
      const workers: { id: string; state: string }[] = json.workers;
      return workers.find(({ state }) => state === "IDLE")?.id;
    });
  }
  const job = (command: string, made: () => Promise<string>) => async (): Promise<Typed> => ({
    args: [command, endpoint(), await made()],
  });

  return {
    "POST /v2/{endpoint}/run": own("run"),
    "POST /v2/{endpoint}/runsync": typed("runsync", DEMO_ENDPOINT, "name=Ada"),
    "GET /v2/{endpoint}/status/{job}": job("status", waiting),
    "GET /v2/{endpoint}/status-sync/{job}": async () => {
      await server().post(`/v2/${endpoint()}/purge-queue`);
      const id = await waiting();
      await given().worker.take(1);
      return {
        args: ["status", endpoint(), id, "--wait"],
        meanwhile: () => given().worker.done(id, { output: 1 }),
      };
    },
    "GET /v2/{endpoint}/stream/{job}": async () => ({ args: ["stream", DEMO_ENDPOINT, await greeted()] }),
    "GET /v1/endpoints/{endpoint}/jobs/{job}": job("job", waiting),
    "GET /v1/endpoints/{endpoint}/statistics": own("statistics"),
    "GET /v1/statistics": typed("statistics"),
    "GET /v1/jobs": typed("jobs"),
    "GET /v1/jobs/{job}": async () => ({ args: ["job", await waiting()] }),
    "GET /v1/jobs/{job}/input": async () => ({ args: ["input", await waiting()] }),
    "POST /v1/jobs/retry": typed("jobs", "retry", "--state", "FAILED", "--yes"),
    "POST /v1/jobs/resubmit": typed("jobs", "resubmit", "--state", "FAILED", "--yes"),
    "POST /v1/jobs/cancel": typed("jobs", "cancel", "--tag", "absent", "--dry-run"),
    "GET /v1/job-operations": typed("jobs", "operations"),
    "GET /v1/job-operations/{operation}": async () => ({
      args: ["jobs", "cancel", "--id", await waiting(), "--yes"],
    }),
    "POST /v1/job-operations/{operation}/cancel": async () => {
      const { json } = await server().post("/v1/jobs/cancel", { filter: { tag: "absent" } });
      return { args: ["jobs", "stop", json.id] };
    },
    "POST /v2/{endpoint}/cancel/{job}": job("cancel", waiting),
    "POST /v2/{endpoint}/retry/{job}": job("retry", failed),
    "POST /v2/{endpoint}/purge-queue": own("purge"),
    "GET /v2/{endpoint}/health": own("health"),
    "GET /v2/{endpoint}/requests": own("requests"),
    "GET /v2/{endpoint}/openai/{route}": typed("openai", DEMO_ENDPOINT, "models"),
    "POST /v2/{endpoint}/openai/{route}": typed("openai", DEMO_ENDPOINT, "completions", "prompt=Once"),
    "GET /v1/templates": typed("templates", "list"),
    "POST /v1/templates": async () => ({ args: ["templates", "create", name(), "--image", "process/hello"] }),
    "GET /v1/templates/{template}": async () => ({ args: ["templates", "show", await template()] }),
    "PATCH /v1/templates/{template}": async () => ({
      args: ["templates", "update", await template(), "--readme", "new"],
    }),
    "DELETE /v1/templates/{template}": async () => ({ args: ["templates", "delete", await template()] }),
    "GET /v1/containerregistryauth": typed("registry-logins", "list"),
    "POST /v1/containerregistryauth": async () => ({
      args: ["registry-logins", "create", name(), "--username", "bot"],
      input: "a password\n",
    }),
    "GET /v1/containerregistryauth/{registryLogin}": async () => ({
      args: ["registry-logins", "show", await server().registryLogin()],
    }),
    "DELETE /v1/containerregistryauth/{registryLogin}": async () => ({
      args: ["registry-logins", "delete", await server().registryLogin()],
    }),
    "GET /v1/endpoints": typed("endpoints", "list"),
    "POST /v1/endpoints": async () => ({ args: ["endpoints", "create", name()] }),
    "GET /v1/endpoints/{endpoint}": own("endpoints", "show"),
    "PATCH /v1/endpoints/{endpoint}": async () => ({
      args: ["endpoints", "update", endpoint(), "--workers-max", "4"],
    }),
    "DELETE /v1/endpoints/{endpoint}": async () => ({
      args: ["endpoints", "delete", await server().endpoint()],
    }),
    "GET /v1/endpoints/{endpoint}/workers": own("workers", "list"),
    "POST /v1/endpoints/{endpoint}/workers": own("worker", "env", "--endpoint"),
    "DELETE /v1/endpoints/{endpoint}/workers/{worker}": async () => ({
      args: ["workers", "stop", DEMO_ENDPOINT, await managed()],
    }),
    "POST /v1/endpoints/{endpoint}/workers/{worker}/replace": async () => ({
      args: ["workers", "replace", DEMO_ENDPOINT, await managed()],
    }),
    "GET /v1/endpoints/{endpoint}/workers/{worker}/logs": async () => ({
      args: ["logs", DEMO_ENDPOINT, "--worker", await managed()],
    }),
    "GET /v1/endpoints/{endpoint}/releases": typed("releases", "list", DEMO_ENDPOINT),
    "POST /v1/endpoints/{endpoint}/releases": typed("releases", "roll-back", DEMO_ENDPOINT, "1"),
    "PATCH /v1/endpoints/{endpoint}/releases/{version}": typed("releases", "resume", DEMO_ENDPOINT),
    "GET /v1/endpoints/{endpoint}/jobs/{job}/input": job("input", waiting),
    "GET /v1/endpoints/{endpoint}/jobs/{job}/logs": async () => ({
      args: ["logs", DEMO_ENDPOINT, "--job", await greeted()],
    }),
    "GET /v1/endpoints/{endpoint}/webhooks": own("webhooks", "list"),
    "POST /v1/endpoints/{endpoint}/webhooks/redeliver": async () => ({
      args: `webhooks redeliver ${endpoint()} --from 2026-01-31T12:00:00Z --to 2026-01-31T13:00:00Z`.split(
        " ",
      ),
    }),
    "POST /v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver": async () => ({
      args: ["webhooks", "redeliver", endpoint(), await delivered()],
    }),
    "GET /v1/endpoints/{endpoint}/webhook-secret": own("webhooks", "secret"),
    "POST /v1/endpoints/{endpoint}/webhook-secret/rotate": own("webhooks", "rotate-secret"),
    "GET /v1/keys": typed("keys", "list"),
    "POST /v1/keys": async () => ({ args: ["keys", "create", name(), "--scope", "read"] }),
    "DELETE /v1/keys/{key}": async () => ({ args: ["keys", "revoke", await keyId()] }),
    "POST /v1/keys/{key}/rotate": async () => ({ args: ["keys", "rotate", await keyId()] }),
    "GET /v1/accounts": typed("accounts", "list"),
    "POST /v1/accounts": async () => ({ args: ["accounts", "create", name()] }),
    "GET /v1/hosts": typed("hosts", "list"),
    "GET /v1/hosts/{host}": typed("hosts", "show", "local"),
    "POST /v1/hosts": async () => ({
      args: ["hosts", "create", name(), await newEngine()],
    }),
    "PATCH /v1/hosts/{host}": typed("hosts", "resume", "local"),
    "DELETE /v1/hosts/{host}": async () => {
      const host = name();
      await server().post("/v1/hosts", { name: host, address: await newEngine() });
      return { args: ["hosts", "delete", host] };
    },
    "POST /v1/secrets/rotate": typed("secrets", "rotate"),
    "POST /v1/backup": typed("backup", "-"),
  };
}
