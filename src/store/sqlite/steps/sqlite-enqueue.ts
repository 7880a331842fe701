import { overCap } from "../../../domain/queue-cap.ts";
import { TRANSITIONS } from "../../../domain/transitions.ts";
import { submissionSize } from "../../submission-size.ts";
import { prepare } from "../sqlite-driver.ts";
import { sqliteIdempotency } from "../sqlite-idempotency.ts";
import type { PayloadColumn } from "../sqlite-payloads.ts";
import type { StepRunner, Tables } from "../sqlite-tables.ts";

type Parameters = [
  endpoint: string,
  id: string,
  state: string,
  position: number,
  queuedAt: number,
  ttl: number,
  expiresAt: number,
  executionTimeout: number,
  retention: number,
  lowPriority: number,
  bytes: number,
  beside: number,
  body: PayloadColumn,
  secret: PayloadColumn | null,
  webhook: Uint8Array | null,
  receiver: string | null,
];

export function sqliteEnqueue({ database, payloads, counters, signal }: Tables): StepRunner<"enqueue"> {
  const insert = prepare<never, Parameters>(
    database,
    `INSERT INTO job (endpoint, id, state, position, holder, queued_at, ttl, expires_at, due_at,
                      execution_timeout, retention, low_priority, bytes, beside, body, secret,
                      webhook, receiver)
     VALUES (?1, ?2, ?3, ?4, '', ?5, ?6, ?7, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`,
  );

  const keys = sqliteIdempotency(database);

  return (step, now) => {
    if (!counters.has(step.endpoint)) return { accepted: false };
    const { idempotency } = step;
    const earlier = idempotency && keys.find(step.endpoint, idempotency.key, now);
    if (earlier !== undefined) return { accepted: false, earlier };
    const size = submissionSize(step);
    const over = step.over ?? overCap(step.cap, counters.fill(step.endpoint), size);
    if (over !== undefined) return { accepted: false, over };
    const body = payloads.keep(step.body);
    const secret = step.secret === undefined ? null : payloads.keep(step.secret);
    // A key lies beside its job: it is told when the job goes.
    const isBeside = typeof body === "number" || typeof secret === "number" || idempotency !== undefined;
    const { ttl, executionTimeout, lowPriority } = step.policy;
    const { lastInsertRowid } = insert.run(
      step.endpoint,
      step.id,
      TRANSITIONS.enqueue.to,
      step.position,
      now,
      ttl,
      now + ttl,
      executionTimeout,
      step.retention,
      lowPriority ? 1 : 0,
      size,
      isBeside ? 1 : 0,
      body,
      secret,
      step.webhook?.sealed ?? null,
      step.webhook?.receiver ?? null,
    );
    if (idempotency !== undefined) {
      keys.remember(step.endpoint, { seq: Number(lastInsertRowid), id: step.id }, idempotency);
    }
    counters.add(step.endpoint, { queued: 1, queuedLowPriority: lowPriority ? 1 : 0, queuedBytes: size });
    signal("enqueue", step.endpoint, step.id, undefined);
    return { accepted: true };
  };
}
