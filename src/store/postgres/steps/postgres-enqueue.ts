import { overCap } from "../../../domain/queue-cap.ts";
import { TRANSITIONS } from "../../../domain/transitions.ts";
import { submissionSize } from "../../submission-size.ts";
import { queued } from "../postgres-job-row.ts";
import type { StepRunner } from "../postgres-step.ts";

export const postgresEnqueue: StepRunner<"enqueue"> = (step, now, unit) => {
  const { endpoint, id, idempotency } = step;
  if (!unit.hasEndpoint(endpoint)) return { accepted: false };
  const known = idempotency && unit.submission(endpoint, idempotency.key);
  if (known !== undefined && known.until > now) {
    const { until: _until, ...earlier } = known;
    return { accepted: false, earlier };
  }
  const bytes = submissionSize(step);
  const over = step.over ?? overCap(step.cap, unit.fill(endpoint), bytes);
  if (over !== undefined) return { accepted: false, over };
  const body = unit.keep(step.body);
  const secret = unit.keep(step.secret);
  const { ttl, executionTimeout, lowPriority } = step.policy;
  unit.insert({
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
    body: body.content,
    body_ref: body.ref,
    secret: secret.content,
    secret_ref: secret.ref,
    output_ref: null,
    error_ref: null,
    progress_ref: null,
  });
  if (idempotency !== undefined) {
    const { key, digest, until } = idempotency;
    unit.remember({ endpoint, key, id, digest, until, state: TRANSITIONS.enqueue.to });
  }
  unit.count(endpoint, queued({ low_priority: lowPriority, bytes }));
  unit.signal("enqueue", endpoint, id, undefined);
  return { accepted: true };
};
