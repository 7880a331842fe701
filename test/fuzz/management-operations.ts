import * as shapes from "./answer-shapes.ts";
import {
  ENDPOINT_UPDATE,
  NEW_ACCOUNT,
  NEW_ENDPOINT,
  NEW_KEY,
  NEW_TEMPLATE,
  NEW_WORKER,
  NOTHING,
  REDELIVERY,
  ROLL_BACK,
  ROTATION,
  TEMPLATE_UPDATE,
} from "./management-bodies.ts";
import { NO_NUMBERS, operation } from "./operation.ts";

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
  listTemplates: operation({ name: "list templates", path: "/v1/templates" }, shapes.TEMPLATES),
  readTemplate: operation({ name: "read a template", path: "/v1/templates/{template}" }, shapes.TEMPLATE),
  createEndpoint: operation(
    { name: "create an endpoint", methods: ["POST"], path: "/v1/endpoints", body: NEW_ENDPOINT },
    shapes.ENDPOINT,
  ),
  listEndpoints: operation({ name: "list endpoints", path: "/v1/endpoints" }, shapes.ENDPOINTS),
  readEndpoint: operation({ name: "read an endpoint", path: "/v1/endpoints/{endpoint}" }, shapes.ENDPOINT),
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
      conflicts: ["IN_USE"],
    },
    undefined,
  ),
  createWorker: operation(
    {
      name: "admit a worker",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/workers",
      body: NEW_WORKER,
    },
    shapes.ADMISSION,
  ),
  listReleases: operation(
    { name: "list releases", path: "/v1/endpoints/{endpoint}/releases" },
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
  readJob: operation(
    { name: "read how a job went", path: "/v1/endpoints/{endpoint}/jobs/{job}" },
    shapes.TIMELINE,
  ),
  jobInput: operation(
    { name: "read a job's input", path: "/v1/endpoints/{endpoint}/jobs/{job}/input" },
    shapes.JOB_INPUT,
  ),
  listWebhooks: operation(
    {
      name: "list webhooks",
      path: "/v1/endpoints/{endpoint}/webhooks",
      query: {
        status: { valid: ["PENDING", "DELIVERED", "FAILED"], wrong: ["", "LOST", "failed", "COMPLETED"] },
        limit: { valid: ["1", "20", "1000"], wrong: [...NO_NUMBERS, "0", "1001"] },
        cursor: { valid: ["msg_0", "msg_000000000_0_x"], wrong: [] },
      },
    },
    shapes.WEBHOOKS,
  ),
  redeliver: operation(
    {
      name: "redeliver a webhook",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhooks/{delivery}/redeliver",
      conflicts: ["DELIVERY_NOT_FOUND"],
    },
    shapes.WEBHOOK,
  ),
  redeliverRange: operation(
    {
      name: "redeliver webhooks",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhooks/redeliver",
      body: REDELIVERY,
    },
    shapes.REDELIVERED,
  ),
  readWebhookSecret: operation(
    {
      name: "read the webhook secret",
      path: "/v1/endpoints/{endpoint}/webhook-secret",
    },
    shapes.WEBHOOK_SECRET,
  ),
  rotateWebhookSecret: operation(
    {
      name: "rotate the webhook secret",
      methods: ["POST"],
      path: "/v1/endpoints/{endpoint}/webhook-secret/rotate",
      body: ROTATION,
      conflicts: ["CHANGED_MEANWHILE"],
    },
    shapes.WEBHOOK_SECRET,
  ),
  createKey: operation(
    { name: "create a key", methods: ["POST"], path: "/v1/keys", body: NEW_KEY },
    shapes.NEW_KEY,
  ),
  listKeys: operation({ name: "list keys", path: "/v1/keys" }, shapes.KEYS),
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
  listAccounts: operation({ name: "list accounts", path: "/v1/accounts" }, shapes.ACCOUNTS),
  rotateSecrets: operation(
    { name: "rotate the secrets", methods: ["POST"], path: "/v1/secrets/rotate", body: NOTHING },
    shapes.SECRETS_ROTATED,
  ),
  healthz: operation({ name: "healthz", methods: ["GET", "HEAD"], path: "/healthz" }, shapes.SERVING),
  openapi: operation({ name: "openapi", methods: ["GET", "HEAD"], path: "/openapi.json" }, shapes.OPENAPI),
  readyz: operation({ name: "readyz", methods: ["GET", "HEAD"], path: "/readyz" }, shapes.SERVING),
} as const;
