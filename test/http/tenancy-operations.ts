import type { Scope } from "../../src/domain/scope.ts";

/**
 * Every operation, with the scope that it takes, and with what it is answered when its caller may: 200, or a
 * code that comes later. Written from docs/api.md, section 5, and not from the table of the server.
 */
const ROWS: Readonly<Record<string, readonly [opened: Scope | "worker" | "anyone", answer: string]>> = {
  // Without an input nothing is made; a submission that is refused for that came through.
  "POST /v2/{endpoint}/run": ["write", "INVALID_FIELD"],
  "POST /v2/{endpoint}/runsync": ["write", "INVALID_FIELD"],
  "GET /v2/{endpoint}/status/{job}": ["read", "200"],
  "POST /v2/{endpoint}/status/{job}": ["read", "200"],
  "GET /v2/{endpoint}/status-sync/{job}": ["read", "200"],
  "POST /v2/{endpoint}/status-sync/{job}": ["read", "200"],
  "GET /v2/{endpoint}/stream/{job}": ["read", "200"],
  "POST /v2/{endpoint}/stream/{job}": ["read", "200"],
  "POST /v2/{endpoint}/cancel/{job}": ["write", "200"],
  "POST /v2/{endpoint}/retry/{job}": ["write", "NOT_RETRYABLE"],
  "POST /v2/{endpoint}/purge-queue": ["write", "200"],
  "GET /v2/{endpoint}/health": ["read", "200"],
  "GET /v2/{endpoint}/requests": ["read", "200"],
  // Neither makes a job: GET reads models only, and the body of POST has a member that it may not have.
  "GET /v2/{endpoint}/openai/{route}": ["write", "METHOD_NOT_ALLOWED"],
  "POST /v2/{endpoint}/openai/{route}": ["write", "INVALID_FIELD"],
  "GET /v2/{endpoint}/job-take/{worker}": ["worker", "KEY_NOT_ALLOWED"],
  "GET /v2/{endpoint}/job-take-batch/{worker}": ["worker", "KEY_NOT_ALLOWED"],
  "GET /v2/{endpoint}/job-stop/{worker}": ["worker", "KEY_NOT_ALLOWED"],
  "POST /v2/{endpoint}/job-done/{worker}/{job}": ["worker", "KEY_NOT_ALLOWED"],
  "POST /v2/{endpoint}/job-stream/{worker}/{job}": ["worker", "KEY_NOT_ALLOWED"],
  "GET /v2/{endpoint}/ping/{worker}": ["worker", "KEY_NOT_ALLOWED"],
  "POST /v2/{endpoint}/exchange/{worker}": ["worker", "KEY_NOT_ALLOWED"],
  "GET /v1/templates": ["manage", "200"],
  "POST /v1/templates": ["manage", "INVALID_FIELD"],
  "GET /v1/templates/{template}": ["manage", "200"],
  "PATCH /v1/templates/{template}": ["manage", "200"],
  // Its endpoint is on it.
  "DELETE /v1/templates/{template}": ["manage", "IN_USE"],
  "POST /v1/templates/{template}/update": ["manage", "200"],
  "GET /v1/containerregistryauth": ["manage", "200"],
  "POST /v1/containerregistryauth": ["manage", "INVALID_FIELD"],
  "GET /v1/containerregistryauth/{registryLogin}": ["manage", "200"],
  // Its template names it.
  "DELETE /v1/containerregistryauth/{registryLogin}": ["manage", "IN_USE"],
  "GET /v1/endpoints": ["manage", "200"],
  "POST /v1/endpoints": ["manage", "INVALID_FIELD"],
  "GET /v1/endpoints/{endpoint}": ["manage", "200"],
  "PATCH /v1/endpoints/{endpoint}": ["manage", "200"],
  "DELETE /v1/endpoints/{endpoint}": ["manage", "204"],
  "POST /v1/endpoints/{endpoint}/update": ["manage", "200"],
  "POST /v1/endpoints/{endpoint}/workers": ["manage", "200"],
  "GET /v1/endpoints/{endpoint}/workers": ["manage", "200"],
  "DELETE /v1/endpoints/{endpoint}/workers/{worker}": ["manage", "204"],
  "POST /v1/endpoints/{endpoint}/workers/{worker}/replace": ["manage", "WORKER_NOT_MANAGED"],
  // None of its workers was started by Forebay, and the job was cancelled before one had it.
  "GET /v1/endpoints/{endpoint}/workers/{worker}/logs": ["manage", "NO_LOGS"],
  "GET /v1/endpoints/{endpoint}/jobs/{job}/logs": ["manage", "NO_LOGS"],
  "GET /v1/endpoints/{endpoint}/releases": ["manage", "200"],
  "POST /v1/endpoints/{endpoint}/releases": ["manage", "INVALID_FIELD"],
  "PATCH /v1/endpoints/{endpoint}/releases/{version}": ["manage", "INVALID_FIELD"],
  "GET /v1/endpoints/{endpoint}/jobs/{job}": ["read", "200"],
  "GET /v1/endpoints/{endpoint}/jobs/{job}/input": ["read", "200"],
  "GET /v1/endpoints/{endpoint}/webhooks": ["read", "200"],
  "POST /v1/endpoints/{endpoint}/webhooks/redeliver": ["write", "INVALID_FIELD"],
  "POST /v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver": ["write", "200"],
  "GET /v1/endpoints/{endpoint}/webhook-secret": ["manage", "200"],
  "POST /v1/endpoints/{endpoint}/webhook-secret/rotate": ["manage", "200"],
  "GET /v1/endpoints/{endpoint}/statistics": ["read", "200"],
  "GET /v1/statistics": ["read", "200"],
  "GET /v1/jobs": ["read", "200"],
  "GET /v1/jobs/{job}": ["read", "200"],
  "GET /v1/jobs/{job}/input": ["read", "200"],
  // Without a filter nothing is begun.
  "POST /v1/jobs/retry": ["write", "INVALID_FIELD"],
  "POST /v1/jobs/resubmit": ["write", "INVALID_FIELD"],
  "POST /v1/jobs/cancel": ["write", "INVALID_FIELD"],
  "GET /v1/job-operations": ["read", "200"],
  "GET /v1/job-operations/{operation}": ["read", "200"],
  "POST /v1/job-operations/{operation}/cancel": ["write", "200"],
  "GET /v1/keys": ["manage", "200"],
  "POST /v1/keys": ["manage", "INVALID_FIELD"],
  "DELETE /v1/keys/{key}": ["manage", "204"],
  "POST /v1/keys/{key}/rotate": ["manage", "200"],
  "GET /v1/accounts": ["admin", "200"],
  "POST /v1/accounts": ["admin", "INVALID_FIELD"],
  // The management API v2: the same records.
  "GET /v2/serverless": ["manage", "200"],
  "POST /v2/serverless": ["manage", "INVALID_FIELD"],
  "GET /v2/serverless/{endpoint}": ["manage", "200"],
  "PATCH /v2/serverless/{endpoint}": ["manage", "200"],
  "DELETE /v2/serverless/{endpoint}": ["manage", "204"],
  "GET /v2/serverless/{endpoint}/workers": ["manage", "200"],
  "GET /v2/serverless/{endpoint}/workers/{worker}/logs": ["manage", "NO_LOGS"],
  "GET /v2/serverless/{endpoint}/releases": ["manage", "200"],
  "GET /v2/templates": ["manage", "200"],
  "POST /v2/templates": ["manage", "INVALID_FIELD"],
  "GET /v2/templates/{template}": ["manage", "200"],
  "PATCH /v2/templates/{template}": ["manage", "200"],
  "DELETE /v2/templates/{template}": ["manage", "IN_USE"],
  "GET /v2/registries": ["manage", "200"],
  "POST /v2/registries": ["manage", "INVALID_FIELD"],
  "GET /v2/registries/{registryLogin}": ["manage", "200"],
  "DELETE /v2/registries/{registryLogin}": ["manage", "IN_USE"],
  "GET /v2/catalog/gpus": ["manage", "200"],
  // The test server has no GPU.
  "GET /v2/catalog/gpus/{gpu}": ["manage", "NOT_SUPPORTED"],
  "GET /v2/catalog/cpus": ["manage", "200"],
  "GET /v2/catalog/cpus/{cpu}": ["manage", "200"],
  "GET /v1/hosts": ["admin", "200"],
  "POST /v1/hosts": ["admin", "INVALID_FIELD"],
  "GET /v1/hosts/{host}": ["admin", "200"],
  "PATCH /v1/hosts/{host}": ["admin", "200"],
  "DELETE /v1/hosts/{host}": ["admin", "HOST_CONFIGURED"],
  "POST /v1/secrets/rotate": ["admin", "200"],
  "POST /v1/backup": ["admin", "NOT_IN_DIRECTORY"],
  "GET /metrics": ["metrics", "200"],
  "GET /": ["anyone", "302"],
  "GET /healthz": ["anyone", "200"],
  "GET /readyz": ["anyone", "200"],
  "GET /openapi.json": ["anyone", "200"],
  "GET /v1/openapi.json": ["anyone", "200"],
  "GET /docs": ["anyone", "200"],
  "GET /docs/page.css": ["anyone", "200"],
  "GET /docs/page.js": ["anyone", "200"],
  "GET /docs/curl-line.js": ["anyone", "200"],
  "GET /docs/swagger-ui.css": ["anyone", "200"],
  "GET /docs/swagger-ui.js": ["anyone", "200"],
  "GET /console": ["anyone", "200"],
  "GET /console/assets/{asset}": ["anyone", "200"],
  "GET /console/session": ["read", "200"],
  "POST /console/session": ["anyone", "INVALID_FIELD"],
  "DELETE /console/session": ["anyone", "204"],
};

/** An operation of the tenancy matrix. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly opened: Scope | "worker" | "anyone";
  readonly answer: string;
}

/** All of them. */
export const OPERATIONS: readonly Operation[] = Object.entries(ROWS).map(([name, [opened, answer]]) => {
  const [method = "", path = ""] = name.split(" ");
  return { name, method, path, opened, answer };
});
