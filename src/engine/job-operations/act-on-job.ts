import { ForebayError, isTemporary } from "../../domain/errors.ts";
import type { FoundJob } from "../../domain/found-job.ts";
import { type JobAction, type JobName, SKIP_REASONS, type SkipReason } from "../../domain/job-operation.ts";
import { isStored } from "../../domain/payload.ts";
import type { JobPolicy } from "../../domain/policy.ts";
import { resubmittedTags } from "../../domain/tags.ts";
import { cancel, type Cancelling } from "../cancel.ts";
import { digestOf } from "../digest.ts";
import { bodyOfOne } from "../find/one-job.ts";
import { retry, type Retrying } from "../retry.ts";
import { type Intake, submit } from "../submit.ts";
import type { WithLog } from "../verb-needs.ts";
import { candidateOf, skipReason } from "./candidates.ts";
import type { JobOperation, LeftJob } from "./job-operation.ts";

/** What the actions need of the server. */
export interface Acting extends Intake, Retrying, Cancelling, WithLog {}

/** The policy in the body of a submission: what it says itself. Throws INVALID_FIELD. */
export type PolicyIn = (body: Uint8Array) => Promise<Partial<JobPolicy>>;

/** What came of one job. `later`: nothing was done, because the queue or the store is full. */
export type Acted =
  | { readonly came: "done"; readonly id: string }
  | { readonly came: "skipped"; readonly reason: SkipReason }
  | { readonly came: "failed"; readonly code: string; readonly message: string }
  | { readonly came: "later" };

/** After these the same job is tried again. */
const LATER: ReadonlySet<string> = new Set([
  "QUEUE_FULL",
  "STORAGE_FULL",
  "STORAGE_UNAVAILABLE",
  "OVERLOADED",
  "SHUTTING_DOWN",
]);

/** Acts on one job. A second call for the same job, as after a crash, changes nothing. */
export async function actOnJob(
  engine: Acting,
  policyIn: PolicyIn,
  operation: Pick<JobOperation, "id" | "action" | "createdAt">,
  name: LeftJob,
): Promise<Acted> {
  try {
    const job = await candidateOf(engine, name);
    if (typeof job !== "string") {
      if (wasDone(operation, name, job)) return { came: "done", id: name.id };
      if (operation.action === "retry" && name.failedRun === undefined) {
        return { came: "skipped", reason: "NOT_RETRYABLE" };
      }
    }
    const reason = await skipReason(engine, operation.action, job);
    if (reason !== undefined) return { came: "skipped", reason };
    return await ACTIONS[operation.action](engine, name, operation.id, policyIn);
  } catch (error) {
    if (!(error instanceof ForebayError)) return unexpected(engine, operation, name, error);
    const { code, message } = error;
    if (LATER.has(code)) return { came: "later" };
    // Another call was faster.
    const reason = SKIP_REASONS.find((known) => known === code);
    return reason === undefined ? { came: "failed", code, message } : { came: "skipped", reason };
  }
}

/** A fault of the server on one job does not keep the others from their turn. */
function unexpected(
  { log }: Acting,
  operation: Pick<JobOperation, "id" | "action">,
  { endpoint, id }: JobName,
  error: unknown,
): Acted {
  if (isTemporary(error)) return { came: "later" };
  const { action } = operation;
  log.error("an action on many jobs failed for one of them", {
    operation: operation.id,
    action,
    endpoint,
    id,
    error: String(error),
  });
  const message = "The server has met a fault; its log names the operation and the job.";
  return { came: "failed", code: "INTERNAL", message };
}

/** The server may have stopped after the action, and before it was stored that it was done. */
function wasDone(
  { action, createdAt }: Pick<JobOperation, "action" | "createdAt">,
  { failedRun }: LeftJob,
  job: FoundJob,
): boolean {
  if (action === "retry") return failedRun !== undefined && job.queuedAt !== failedRun;
  return action === "cancel" && job.state === "CANCELLED" && (job.endedAt ?? 0) >= createdAt;
}

type Action = (engine: Acting, name: JobName, operation: string, policyIn: PolicyIn) => Promise<Acted>;

const ACTIONS: Readonly<Record<JobAction, Action>> = {
  async retry(engine, { endpoint, id }) {
    await retry(engine, endpoint, id);
    return { came: "done", id };
  },

  async cancel(engine, { endpoint, id }) {
    const { state } = await cancel(engine, endpoint, id);
    return state === "CANCELLED" ? { came: "done", id } : { came: "skipped", reason: "ALREADY_ENDED" };
  },

  async resubmit(engine, { endpoint, id }, operation, policyIn) {
    const payload = await bodyOfOne(engine, [endpoint], id);
    const body = isStored(payload) ? await engine.store.readPayload(payload) : payload;
    const policy = await policyIn(body);
    // No client can send a key with spaces.
    const key = `resubmit ${operation} ${id}`;
    const made = await submit(engine, {
      endpoint,
      kind: "run",
      body,
      s3Config: undefined,
      webhook: undefined,
      policy: { ...policy, tags: resubmittedTags(policy.tags ?? [], id) },
      retention: 0,
      idempotency: { key, digest: Buffer.from(digestOf(key), "hex") },
    });
    return { came: "done", id: made.id };
  },
};
