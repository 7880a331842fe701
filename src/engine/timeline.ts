import { beginningOfError, KEPT_ATTEMPTS, outcomeIn } from "../domain/attempt.ts";
import { type Delivery, deliveryId } from "../domain/delivery.ts";
import { PayloadDamaged } from "../domain/errors.ts";
import { submittedAt } from "../domain/job-places.ts";
import type { JobRecord } from "../domain/job.ts";
import { isStored, type Payload } from "../domain/payload.ts";
import type { Timeline, UnplacedAttempt } from "../domain/timeline.ts";
import type { TraceContext } from "../domain/trace-context.ts";
import type { StoredTimeline } from "../store/store.ts";
import { withPlaces } from "./attempt-places.ts";
import { traceIn } from "./body-trace.ts";
import type { StoreAccess } from "./verb-needs.ts";
import { found } from "./status.ts";
import { type WaitSight, whyWaits } from "./why-waits.ts";

/** So many of the jobs that wait before one are counted: 1 to 4 ms on one core. */
const COUNTED = 20_000;

/** All that is known of how a job goes. Throws JOB_NOT_FOUND. */
export async function timeline(engine: WaitSight, endpoint: string, id: string): Promise<Timeline> {
  const stored = found(await engine.store.timeline(endpoint, id, COUNTED), id);
  const isWaiting = stored.job.state === "IN_QUEUE";
  const attempts = await withPlaces(engine, endpoint, await attemptsOf(engine, stored));
  return {
    ...stored,
    submittedAt: submittedAt(id),
    trace: await traceOf(engine, endpoint, id),
    position: isWaiting ? stored.ahead + 1 : undefined,
    reason: isWaiting ? await whyWaits(engine, stored) : undefined,
    attempts,
    deliveries: stored.hasWebhook ? await deliveriesOf(engine, stored.job, attempts) : [],
  };
}

async function traceOf(
  { store }: StoreAccess,
  endpoint: string,
  id: string,
): Promise<TraceContext | undefined> {
  const body = found(await store.body(endpoint, id), id);
  try {
    return traceIn(isStored(body) ? await store.readPayload(body) : body);
  } catch (error) {
    // The timeline shows everything else.
    if (error instanceof PayloadDamaged) return undefined;
    throw error;
  }
}

async function attemptsOf(engine: StoreAccess, stored: StoredTimeline): Promise<UnplacedAttempt[]> {
  const { job, attempts: kept } = stored;
  const attempts = kept.flatMap(({ attempt, ended, coldStart, output }) => {
    return ended === undefined ? [] : [{ ...ended, attempt, coldStart, output }];
  });
  if (job.takenAt === undefined || attempts.at(-1)?.attempt === job.attempt) return attempts;
  const beside = kept.find(({ attempt }) => attempt === job.attempt);
  const newest: UnplacedAttempt = {
    attempt: job.attempt,
    outcome: outcomeIn(job.state),
    queuedAt: job.queuedAt,
    startedAt: job.takenAt,
    endedAt: job.endedAt,
    worker: job.worker,
    position: job.position,
    chunks: stored.chunks,
    error: job.error === undefined ? undefined : await errorOf(engine, job.error),
    coldStart: beside?.coldStart,
    output: beside?.output,
  };
  return [...attempts, newest].slice(-KEPT_ATTEMPTS);
}

/** They have the names of the ends of the job: each end that an attempt was, and the last one. */
async function deliveriesOf(
  { store }: StoreAccess,
  job: JobRecord,
  attempts: readonly UnplacedAttempt[],
): Promise<Delivery[]> {
  const ids = [...attempts, job].flatMap(({ endedAt, position }) => {
    return endedAt === undefined ? [] : [deliveryId(endedAt, position, job.id)];
  });
  const deliveries = await Promise.all([...new Set(ids)].map((id) => store.delivery(job.endpoint, id)));
  return deliveries.filter((delivery) => delivery !== undefined);
}

/** What the timeline shows of the error of a job: its text, of a long one the beginning. */
export async function errorOf({ store }: StoreAccess, error: Payload): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = isStored(error) ? await store.readPayload(error) : error;
  } catch (damage) {
    if (!(damage instanceof PayloadDamaged)) throw damage;
    return "the stored error is damaged and cannot be read";
  }
  return beginningOfError(String(JSON.parse(new TextDecoder().decode(bytes))));
}
