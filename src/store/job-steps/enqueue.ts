import { overCap } from "../../domain/queue-cap.ts";
import { TRANSITIONS } from "../../domain/transitions.ts";
import { queued, submissionSize } from "../job-columns.ts";
import type { JobStepRunner } from "./job-transaction.ts";

export const enqueue: JobStepRunner<"enqueue"> = (step, now, transaction) => {
  const { endpoint, id, idempotency, body, secret } = step;
  if (!transaction.hasEndpoint(endpoint)) return { accepted: false };
  const known = idempotency && transaction.earlier(endpoint, idempotency.key);
  if (known !== undefined && known.until > now) {
    const { until: _until, ...earlier } = known;
    return { accepted: false, earlier };
  }
  const bytes = submissionSize(step);
  const over = step.over ?? overCap(step.cap, transaction.fill(endpoint), bytes);
  if (over !== undefined) return { accepted: false, over };
  const { ttl, executionTimeout, lowPriority, tags } = step.policy;
  const job = {
    endpoint,
    id,
    state: TRANSITIONS.enqueue.to,
    position: step.position,
    holder: "",
    worker: null,
    attempt: 0,
    losses: 0,
    undelivered: 0,
    proved: false,
    denials: 0,
    barred: null,
    barred_until: null,
    queued_at: now,
    taken_at: null,
    lease_ends_at: null,
    ended_at: null,
    ttl,
    expires_at: now + ttl,
    execution_timeout: executionTimeout,
    retention: step.retention,
    due_at: now + ttl,
    low_priority: lowPriority,
    bytes,
    keyed: idempotency !== undefined,
    chunks: 0,
    chunk_bytes: 0,
    cursor: 0,
    receiver: step.webhook?.receiver ?? null,
    webhook: step.webhook?.sealed ?? null,
    tags: tags === undefined ? null : JSON.stringify(tags),
  };
  transaction.insert(job, { body, secret });
  if (idempotency !== undefined) {
    transaction.remember({ endpoint, id, ...idempotency, state: TRANSITIONS.enqueue.to });
  }
  transaction.count(endpoint, queued({ low_priority: lowPriority, bytes }));
  transaction.signal("enqueue", endpoint, id, undefined);
  return { accepted: true };
};
