import { ForebayError } from "../domain/errors.ts";
import { DEFAULT_POLICY, IDEMPOTENCY_LIFETIME, type JobPolicy } from "../domain/policy.ts";
import type { TakenJob } from "../domain/job.ts";
import type { Payload } from "../domain/payload.ts";
import type { TraceContext } from "../domain/trace-context.ts";
import type { JobState } from "../domain/transitions.ts";
import type { EarlierSubmission, Enqueue } from "../store/enqueue-step.ts";
import { submissionSize } from "../store/job-columns.ts";
import type { StepAnswers } from "../store/steps.ts";
import type { WithJobIds } from "./job-ids.ts";
import { sealJobSecret } from "./job-secret.ts";
import { jobTimes } from "./job-times.ts";
import type { ParkedTakes } from "./parked-takes.ts";
import { queueCapOf, queueFull, type QueueLimits } from "./queue-cap.ts";
import type { WithSecrets } from "./secret-box.ts";
import { takeStep, type TakeSteps } from "./take-step.ts";
import type { StoreAccess, WithStop } from "./verb-needs.ts";
import { sealWebhook } from "./webhooks/job-webhook.ts";

/** What accepting a job needs. */
export interface Intake extends StoreAccess, WithStop, WithSecrets, WithJobIds, QueueLimits, TakeSteps {
  /** Calls for jobs that wait for one. */
  readonly parkedTakes: ParkedTakes;
}

export interface Submission {
  readonly endpoint: string;
  readonly kind: "run" | "runsync";
  /** JSON object: what the worker gets in addition to the id and the secrets. */
  readonly body: Uint8Array;
  /** JSON object as sent. */
  readonly s3Config: Uint8Array | undefined;
  /** JSON string as sent: an http or https address. */
  readonly webhook: Uint8Array | undefined;
  /** Goes with the webhook; what the worker gets of it stands in the body. */
  readonly trace?: TraceContext | undefined;
  /** Where it says nothing the endpoint does. */
  readonly policy: Partial<JobPolicy>;
  /** How long the record stays after the end at least, ms; the endpoint can say longer. */
  readonly retention: number;
  /** The key that the client gave it, and the SHA-256 of what it sent with it. */
  readonly idempotency: { readonly key: string; readonly digest: Uint8Array } | undefined;
}

export interface Submitted {
  readonly id: string;
  /** IN_QUEUE, or the present state of the job that an earlier call with the key has created. */
  readonly state: JobState;
}

/**
 * Stores a job and answers its id; the job is durable then. A submission with a key that has made a job
 * answers that one. Throws ENDPOINT_NOT_FOUND, IDEMPOTENCY_MISMATCH, QUEUE_FULL, STORAGE_FULL or
 * SHUTTING_DOWN, and no job exists then.
 */
export function submit(engine: Intake, submission: Submission): Promise<Submitted> {
  const { s3Config, webhook } = submission;
  // A rotation of the keys waits for a job with something to seal, and no other.
  if (s3Config === undefined && webhook === undefined) return accept(engine, submission);
  return engine.secrets.storing(() => accept(engine, submission));
}

async function accept(engine: Intake, submission: Submission): Promise<Submitted> {
  if (engine.isStopping)
    throw new ForebayError("SHUTTING_DOWN", "The server is stopping. Try again in a moment.");
  const { endpoint, s3Config } = submission;
  const written = engine.store.writePayload(submission.body);
  const body = written instanceof Promise ? await written : written;
  const plain = enqueueStep(engine, submission, body);
  const secret = s3Config && (await sealJobSecret(engine, endpoint, plain.id, s3Config));
  const enqueue = secret === undefined ? plain : { ...plain, secret };
  const { answers, settle } = storeAndHandOver(engine, enqueue);
  let answer: StepAnswers["enqueue"];
  try {
    const [stored, taken] = await answers;
    settle(stored.accepted, taken?.[0]);
    answer = stored;
  } catch (error) {
    // The job may be stored in spite of the error: the next look at the counters corrects the count.
    settle(true, undefined);
    throw error;
  }
  const { accepted, earlier, over } = answer;
  if (accepted) return { id: enqueue.id, state: "IN_QUEUE" };
  await engine.store.discardPayload(body);
  if (secret !== undefined) await engine.store.discardPayload(secret);
  if (earlier !== undefined) return again(earlier, enqueue);
  if (over !== undefined) throw queueFull(engine, endpoint, enqueue.cap, over);
  throw new ForebayError("ENDPOINT_NOT_FOUND", `There is no endpoint ${endpoint}.`);
}

/** The step that stores the job, but for its secret. */
function enqueueStep(engine: Intake, submission: Submission, body: Payload): Enqueue {
  const { endpoint, kind, retention } = submission;
  const policy = policyOf(engine, submission);
  const now = engine.clock.now();
  const position = engine.jobIds.nextPosition(now);
  const id = engine.jobIds.idAt(position, kind);
  const { webhook: address, trace, idempotency: key } = submission;
  const webhook = address && sealWebhook(engine, endpoint, id, { address, trace });
  const idempotency = key && { ...key, until: now + IDEMPOTENCY_LIFETIME };
  const cap = queueCapOf(engine, endpoint);
  const job = { endpoint, id, position, body, secret: undefined, webhook };
  return { step: "enqueue", ...job, policy, retention, idempotency, cap };
}

function policyOf(engine: Intake, { endpoint, policy }: Submission): JobPolicy {
  const { executionTimeoutMs, ttlMs } = jobTimes(engine, endpoint);
  return { ...DEFAULT_POLICY, executionTimeout: executionTimeoutMs, ttl: ttlMs, ...policy };
}

/** A job that is being stored. */
interface Storing {
  readonly answers: Promise<readonly [enqueue: StepAnswers["enqueue"], take?: StepAnswers["take"]]>;
  /** To be called with whether the job is stored, and the job that a worker gets with the same commit. */
  settle(isStored: boolean, taken: TakenJob | undefined): void;
}

/**
 * Stores the job. Meanwhile its bytes are counted here, because the counters know them only afterwards. If a
 * worker waits on this server, it gets the oldest waiting job with the same commit.
 */
function storeAndHandOver(engine: Intake, enqueue: Enqueue): Storing {
  const { endpoint } = enqueue;
  const size = submissionSize(enqueue);
  const over = engine.queuedBytes.over(endpoint, size);
  const counted = over === undefined ? engine.queuedBytes.storing(endpoint, size) : undefined;
  const step = over === undefined ? enqueue : { ...enqueue, over };
  const now = engine.clock.now();
  const claim = engine.parkedTakes.claim(endpoint);
  const take = claim && takeStep(engine, endpoint, claim.worker, 1);
  const answers =
    take === undefined ? engine.store.apply([step], now) : engine.store.apply([step, take], now);
  return {
    answers,
    settle(isStored, taken) {
      counted?.(isStored);
      claim?.settle(taken);
    },
  };
}

function again({ id, digest, state }: EarlierSubmission, { idempotency }: Enqueue): Submitted {
  if (Buffer.compare(digest, idempotency?.digest ?? new Uint8Array()) === 0) return { id, state };
  const sentence = "This Idempotency-Key was used with another body. Use a new key for each submission.";
  throw new ForebayError("IDEMPOTENCY_MISMATCH", sentence);
}
