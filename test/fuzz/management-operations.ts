import * as shapes from "./answer-shapes.ts";
import {
  ENDPOINT_UPDATE,
  NEW_ACCOUNT,
  NEW_ENDPOINT,
  NEW_KEY,
  NEW_REGISTRY_LOGIN,
  NEW_TEMPLATE,
  NEW_WORKER,
  NOTHING,
  PAUSE_RELEASE,
  ROLL_BACK,
  ROTATION,
  TEMPLATE_UPDATE,
} from "./management-bodies.ts";
import { HOST_CHANGES, NEW_HOST } from "./host-bodies.ts";
import { HOST, HOSTS } from "./host-shapes.ts";
import { NO_NUMBERS, operation, PAGED, type QueryRule } from "./operation.ts";
import { TIMELINE } from "./timeline-shape.ts";

const flag: QueryRule = { valid: ["true", "false"], wrong: ["", "1", "TRUE", "yes", "null"] };
const INCLUDED = { includeTemplate: flag, includeWorkers: flag };

/** docs/api.md, 4.B and 4.C. */
export const MANAGEMENT_OPERATIONS = {
  createTemplate: operation(
    { name: "create a template", methods: ["POST"], path: "/v1/templates", body: NEW_TEMPLATE },
    shapes.TEMPLATE,
  ),
  updateTemplate: operation(
    {
      name: "update a template",
      methods: ["POST"],
      path: "/v1/templates/{template}/update",
      body: TEMPLATE_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.TEMPLATE,
  ),
  patchTemplate: operation(
    {
      name: "patch a template",
      methods: ["PATCH"],
      path: "/v1/templates/{template}",
      body: TEMPLATE_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.TEMPLATE,
  ),
  deleteTemplate: operation(
    {
      name: "delete a template",
      methods: ["DELETE"],
      path: "/v1/templates/{template}",
      mayBeEmpty: true,
      conflicts: ["IN_USE"],
    },
    undefined,
  ),
  listTemplates: operation(
    {
      name: "list templates",
      path: "/v1/templates",
      query: {
        includePublicTemplates: flag,
        includeRunpodTemplates: flag,
        includeEndpointBoundTemplates: flag,
      },
    },
    shapes.TEMPLATES,
  ),
  createRegistryLogin: operation(
    {
      name: "create a registry login",
      methods: ["POST"],
      path: "/v1/containerregistryauth",
      body: NEW_REGISTRY_LOGIN,
    },
    shapes.REGISTRY_LOGIN,
  ),
  listRegistryLogins: operation(
    { name: "list registry logins", path: "/v1/containerregistryauth" },
    shapes.REGISTRY_LOGINS,
  ),
  readRegistryLogin: operation(
    { name: "read a registry login", path: "/v1/containerregistryauth/{registryLogin}" },
    shapes.REGISTRY_LOGIN,
  ),
  deleteRegistryLogin: operation(
    {
      name: "delete a registry login",
      methods: ["DELETE"],
      path: "/v1/containerregistryauth/{registryLogin}",
      mayBeEmpty: true,
      conflicts: ["IN_USE"],
    },
    undefined,
  ),
  readTemplate: operation({ name: "read a template", path: "/v1/templates/{template}" }, shapes.TEMPLATE),
  createEndpoint: operation(
    { name: "create an endpoint", methods: ["POST"], path: "/v1/endpoints", body: NEW_ENDPOINT },
    shapes.ENDPOINT,
  ),
  listEndpoints: operation(
    { name: "list endpoints", path: "/v1/endpoints", query: INCLUDED },
    shapes.ENDPOINTS,
  ),
  readEndpoint: operation(
    { name: "read an endpoint", path: "/v1/endpoints/{endpoint}", query: INCLUDED },
    shapes.ENDPOINT,
  ),
  updateEndpoint: operation(
    {
      name: "change an endpoint",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/update",
      body: ENDPOINT_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.ENDPOINT,
  ),
  patchEndpoint: operation(
    {
      name: "patch an endpoint",
      methods: ["PATCH"],
      path: "/v1/endpoints/{endpoint}",
      body: ENDPOINT_UPDATE,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.ENDPOINT,
  ),
  deleteEndpoint: operation(
    {
      name: "delete an endpoint",
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}",
      mayBeEmpty: true,
    },
    undefined,
  ),
  createWorker: operation(
    { name: "admit a worker", methods: ["POST"], path: "/v1/endpoints/{endpoint}/workers", body: NEW_WORKER },
    shapes.ADMISSION,
  ),
  listWorkers: operation(
    { name: "list workers", path: "/v1/endpoints/{endpoint}/workers", query: PAGED },
    shapes.WORKERS,
  ),
  stopWorker: operation(
    {
      name: "stop a worker",
      methods: ["DELETE"],
      path: "/v1/endpoints/{endpoint}/workers/{worker}",
      mayBeEmpty: true,
      conflicts: ["WORKER_NOT_FOUND", "WORKER_NOT_MANAGED", "CHANGED_MEANWHILE"],
    },
    undefined,
  ),
  replaceWorker: operation(
    {
      name: "replace a worker",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/workers/{worker}/replace",
      mayBeEmpty: true,
      conflicts: ["WORKER_NOT_FOUND", "WORKER_NOT_MANAGED", "CHANGED_MEANWHILE"],
    },
    undefined,
  ),
  workerLogs: operation(
    {
      name: "read a worker's log",
      path: "/v1/endpoints/{endpoint}/workers/{worker}/logs",
      query: {
        tail: { valid: ["0", "1", "1000000"], wrong: [...NO_NUMBERS, "1000001"] },
        since: {
          valid: ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+01:00"],
          wrong: ["", "now", "2026-01-31", "0", "2026-13-01T00:00:00Z"],
        },
        follow: { valid: ["true", "false"], wrong: ["", "1", "yes", "TRUE"] },
      },
      conflicts: ["WORKER_NOT_FOUND", "NO_LOGS"],
    },
    shapes.LOGS,
  ),
  jobLogs: operation(
    {
      name: "read a job's log",
      path: "/v1/endpoints/{endpoint}/jobs/{job}/logs",
      conflicts: ["WORKER_NOT_FOUND", "NO_LOGS"],
    },
    shapes.LOGS,
  ),
  listReleases: operation(
    { name: "list releases", path: "/v1/endpoints/{endpoint}/releases", query: PAGED },
    shapes.RELEASES,
  ),
  rollBack: operation(
    {
      name: "roll back",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/releases",
      body: ROLL_BACK,
      conflicts: ["RELEASE_NOT_FOUND"],
    },
    shapes.RELEASE,
  ),
  pauseRelease: operation(
    {
      name: "pause a release",
      methods: ["PATCH"],
      path: "/v1/endpoints/{endpoint}/releases/{version}",
      body: PAUSE_RELEASE,
      conflicts: ["RELEASE_NOT_FOUND", "RELEASE_NOT_ROLLING"],
    },
    shapes.RELEASE,
  ),
  readJob: operation({ name: "read how a job went", path: "/v1/endpoints/{endpoint}/jobs/{job}" }, TIMELINE),
  jobInput: operation(
    { name: "read a job's input", path: "/v1/endpoints/{endpoint}/jobs/{job}/input" },
    shapes.JOB_INPUT,
  ),
  createKey: operation(
    { name: "create a key", methods: ["POST"], path: "/v1/keys", body: NEW_KEY },
    shapes.NEW_KEY,
  ),
  listKeys: operation({ name: "list keys", path: "/v1/keys", query: PAGED }, shapes.KEYS),
  rotateKey: operation(
    {
      name: "rotate a key",
      methods: ["POST"],
      path: "/v1/keys/{key}/rotate",
      body: ROTATION,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.NEW_KEY,
  ),
  revokeKey: operation(
    { name: "revoke a key", methods: ["DELETE"], path: "/v1/keys/{key}", mayBeEmpty: true },
    undefined,
  ),
  createAccount: operation(
    { name: "create an account", methods: ["POST"], path: "/v1/accounts", body: NEW_ACCOUNT },
    shapes.ACCOUNT,
  ),
  listAccounts: operation({ name: "list accounts", path: "/v1/accounts", query: PAGED }, shapes.ACCOUNTS),
  listHosts: operation({ name: "list hosts", path: "/v1/hosts", query: PAGED }, HOSTS),
  createHost: operation(
    {
      name: "create a host",
      methods: ["POST"],
      path: "/v1/hosts",
      body: NEW_HOST,
      // Nothing listens at these addresses.
      conflicts: ["INVALID_FIELD"],
    },
    HOST,
  ),
  drainHost: operation(
    { name: "change a host", methods: ["PATCH"], path: "/v1/hosts/{host}", body: HOST_CHANGES },
    HOST,
  ),
  deleteHost: operation(
    {
      name: "delete a host",
      methods: ["DELETE"],
      path: "/v1/hosts/{host}",
      query: { lost: flag },
      mayBeEmpty: true,
      conflicts: ["HOST_CONFIGURED"],
    },
    undefined,
  ),
  readHost: operation({ name: "read a host", path: "/v1/hosts/{host}" }, HOST),
  rotateSecrets: operation(
    { name: "rotate the secrets", methods: ["POST"], path: "/v1/secrets/rotate", body: NOTHING },
    shapes.SECRETS_ROTATED,
  ),
  healthz: operation({ name: "healthz", methods: ["GET", "HEAD"], path: "/healthz" }, shapes.RUNNING),
  openapi: operation({ name: "openapi", methods: ["GET", "HEAD"], path: "/openapi.json" }, shapes.OPENAPI),
  readyz: operation({ name: "readyz", methods: ["GET", "HEAD"], path: "/readyz" }, shapes.SERVING),
} as const;
