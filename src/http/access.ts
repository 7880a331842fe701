import type { Scope } from "../domain/scope.ts";
import type { Route } from "./route.ts";

type Method = Route["methods"][number];

/** Whom an operation is open to: keys with a scope, workers of the endpoint, or anyone. */
export type Opened = Scope | "worker" | "anyone";

/**
 * What each operation asks for (design, row 21). A route that is not here cannot be built. HEAD asks for the
 * same as GET (`takesHead`).
 */
export const ACCESS = {
  "/v2/{endpoint}/run": { POST: "write" },
  "/v2/{endpoint}/runsync": { POST: "write" },
  "/v2/{endpoint}/status/{job}": { GET: "read", POST: "read" },
  "/v2/{endpoint}/status-sync/{job}": { GET: "read", POST: "read" },
  "/v2/{endpoint}/stream/{job}": { GET: "read", POST: "read" },
  "/v2/{endpoint}/cancel/{job}": { POST: "write" },
  "/v2/{endpoint}/retry/{job}": { POST: "write" },
  "/v2/{endpoint}/purge-queue": { POST: "write" },
  "/v2/{endpoint}/health": { GET: "read" },
  "/v2/{endpoint}/requests": { GET: "read" },
  // Both make a job.
  "/v2/{endpoint}/openai/{route}": { GET: "write", POST: "write" },

  "/v2/{endpoint}/job-take/{worker}": { GET: "worker" },
  "/v2/{endpoint}/job-take-batch/{worker}": { GET: "worker" },
  "/v2/{endpoint}/job-stop/{worker}": { GET: "worker" },
  "/v2/{endpoint}/job-done/{worker}/{job}": { POST: "worker" },
  "/v2/{endpoint}/job-stream/{worker}/{job}": { POST: "worker" },
  "/v2/{endpoint}/ping/{worker}": { GET: "worker" },
  "/v2/{endpoint}/exchange/{worker}": { POST: "worker" },

  "/v1/templates": { GET: "manage", POST: "manage" },
  "/v1/templates/{template}": { GET: "manage", PATCH: "manage", DELETE: "manage" },
  "/v1/templates/{template}/update": { POST: "manage" },
  "/v1/containerregistryauth": { GET: "manage", POST: "manage" },
  "/v1/containerregistryauth/{registryLogin}": { GET: "manage", DELETE: "manage" },
  "/v1/endpoints": { GET: "manage", POST: "manage" },
  "/v1/endpoints/{endpoint}": { GET: "manage", PATCH: "manage", DELETE: "manage" },
  "/v1/endpoints/{endpoint}/update": { POST: "manage" },
  "/v1/endpoints/{endpoint}/workers": { GET: "manage", POST: "manage" },
  "/v1/endpoints/{endpoint}/workers/{worker}": { DELETE: "manage" },
  "/v1/endpoints/{endpoint}/workers/{worker}/replace": { POST: "manage" },
  "/v1/endpoints/{endpoint}/workers/{worker}/logs": { GET: "manage" },
  "/v1/endpoints/{endpoint}/releases": { GET: "manage", POST: "manage" },
  "/v1/endpoints/{endpoint}/releases/{version}": { PATCH: "manage" },
  "/v1/endpoints/{endpoint}/jobs/{job}": { GET: "read" },
  "/v1/endpoints/{endpoint}/jobs/{job}/input": { GET: "read" },
  "/v1/endpoints/{endpoint}/jobs/{job}/logs": { GET: "manage" },
  "/v1/endpoints/{endpoint}/webhooks": { GET: "read" },
  "/v1/endpoints/{endpoint}/webhooks/redeliver": { POST: "write" },
  "/v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver": { POST: "write" },
  "/v1/endpoints/{endpoint}/webhook-secret": { GET: "manage" },
  "/v1/endpoints/{endpoint}/webhook-secret/rotate": { POST: "manage" },
  "/v1/endpoints/{endpoint}/statistics": { GET: "read" },
  "/v1/statistics": { GET: "read" },
  "/v1/keys": { GET: "manage", POST: "manage" },
  "/v1/keys/{key}": { DELETE: "manage" },
  "/v1/keys/{key}/rotate": { POST: "manage" },
  "/v1/accounts": { GET: "admin", POST: "admin" },
  "/v1/secrets/rotate": { POST: "admin" },
  "/v1/backup": { POST: "admin" },

  "/metrics": { GET: "metrics" },

  "/": { GET: "anyone" },
  "/healthz": { GET: "anyone" },
  "/readyz": { GET: "anyone" },
  "/openapi.json": { GET: "anyone" },
  "/docs": { GET: "anyone" },
  "/docs/page.css": { GET: "anyone" },
  "/docs/page.js": { GET: "anyone" },
  "/docs/curl-line.js": { GET: "anyone" },
  "/docs/swagger-ui.css": { GET: "anyone" },
  "/docs/swagger-ui.js": { GET: "anyone" },
  "/console": { GET: "anyone" },
  "/console/assets/{asset}": { GET: "anyone" },
  // Who signs in sends the key in the body; who signs out needs none.
  "/console/session": { GET: "read", POST: "anyone", DELETE: "anyone" },
} as const satisfies Record<string, Partial<Record<Method, Opened>>>;

/** Paths whose GET does more than read: a plain read of a stream consumes chunks, and a model gets a job. */
const CHANGING_GETS: ReadonlySet<string> = new Set<keyof typeof ACCESS>([
  "/v2/{endpoint}/stream/{job}",
  "/v2/{endpoint}/openai/{route}",
]);

/** Whether HEAD is there wherever GET is. Any call of a worker changes what is known of it. */
export function takesHead(path: string): boolean {
  const rows: Readonly<Record<string, Partial<Record<Method, Opened>>>> = ACCESS;
  return rows[path]?.GET !== "worker" && !CHANGING_GETS.has(path);
}

/** What a request can ask for beyond its operation, and the scope that this takes. */
export const ACCESS_WITHIN = {
  "status?ttl=": "write",
  "the account of another": "admin",
  rateLimits: "admin",
  isPlatform: "admin",
} as const satisfies Record<string, Scope>;

/** Every path that a key opens. */
export type KeyPath = Extract<keyof typeof ACCESS, `/v1/${string}` | `/v2/${string}` | "/metrics">;

/**
 * The scope that each method of a path asks for, HEAD as GET. Throws an Error when the table does not say.
 */
export function scopesOf(path: KeyPath, methods: readonly Method[]): ReadonlyMap<string, Scope> {
  const row: Partial<Record<Method, Opened>> = ACCESS[path];
  return new Map(
    methods.flatMap((method): [string, Scope][] => {
      const opened = row[method];
      if (opened !== undefined && opened !== "worker" && opened !== "anyone") {
        return method === "GET"
          ? [
              [method, opened],
              ["HEAD", opened],
            ]
          : [[method, opened]];
      }
      throw new Error(`the table of access has no scope for ${method} ${path}`);
    }),
  );
}
