import { BACKUP } from "./backup-operation.ts";
import { CONSOLE_OPERATIONS } from "./console-operations.ts";
import { FIND_OPERATIONS } from "./find-operations.ts";
import { MANAGEMENT_OPERATIONS } from "./management-operations.ts";
import { OPENAI_OPERATIONS } from "./openai-operations.ts";
import type { Operation } from "./operation.ts";
import { QUEUE_OPERATIONS } from "./queue-operations.ts";
import { STATISTICS_OPERATIONS } from "./statistics-operations.ts";
import { V2_OPERATIONS } from "./v2-operations.ts";
import { WEBHOOK_OPERATIONS } from "./webhook-operations.ts";
import { WORKER_OPERATIONS } from "./worker-operations.ts";

/** Each operation of docs/api.md and docs/worker-protocol.md. */
export const OPERATIONS = {
  ...QUEUE_OPERATIONS,
  ...OPENAI_OPERATIONS,
  ...MANAGEMENT_OPERATIONS,
  ...V2_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  backUp: BACKUP,
  ...CONSOLE_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...FIND_OPERATIONS,
  ...WORKER_OPERATIONS,
} as const satisfies Record<string, Operation>;

export const ALL_OPERATIONS: readonly Operation[] = Object.values(OPERATIONS);
