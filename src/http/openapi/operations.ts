import type { Described } from "./description.ts";
import { ENDPOINT_OPERATIONS } from "./operations/endpoint-operations.ts";
import { JOB_OPERATIONS } from "./operations/job-operations.ts";
import { KEY_OPERATIONS } from "./operations/key-operations.ts";
import { OPENAI_OPERATIONS } from "./operations/openai-operations.ts";
import { REGISTRY_LOGIN_OPERATIONS } from "./operations/registry-login-operations.ts";
import { SECRET_OPERATIONS } from "./operations/secret-operations.ts";
import { SERVER_OPERATIONS } from "./operations/server-operations.ts";
import { STATISTICS_OPERATIONS } from "./operations/statistics-operations.ts";
import { TEMPLATE_OPERATIONS } from "./operations/template-operations.ts";
import { WEBHOOK_OPERATIONS } from "./operations/webhook-operations.ts";
import { WORKER_OPERATIONS } from "./operations/worker-operations.ts";

/** Every operation that the table of access names, and no other: the types say so. */
export const OPERATIONS: Described = {
  ...JOB_OPERATIONS,
  ...OPENAI_OPERATIONS,
  ...ENDPOINT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...TEMPLATE_OPERATIONS,
  ...REGISTRY_LOGIN_OPERATIONS,
  ...KEY_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...WORKER_OPERATIONS,
};
