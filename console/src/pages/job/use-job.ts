import { useEffect, useRef, useState } from "preact/hooks";
import { api, ApiError } from "../../api.ts";
import type { Session, Timeline } from "../../answers.ts";
import { memberOf } from "../../parts/json-spans.ts";
import { may } from "../../parts/may.ts";
import { type Polled, usePolled } from "../../parts/use-polled.ts";

/** How often the timeline is read, ms: seldom once the job has ended. */
const EVERY = 1_000;
const EVERY_WHEN_ENDED = 15_000;

/** What the page of a job shows at once, so that nothing moves later. */
export interface KnownJob {
  readonly timeline: Timeline;
  readonly isEnded: boolean;
  /** The whole error of a job that failed or timed out. */
  readonly error: string | undefined;
  /** The name of its endpoint, or what the address says if the key cannot read it. */
  readonly endpointName: string;
}

/** Reads a job again and again: its timeline, its error, and the name of its endpoint. */
export function useJob(session: Session, endpoint: string, job: string): Polled<KnownJob> {
  const [isOver, setOver] = useState(false);
  const kept = useRef<{ name?: string; run?: string; error?: string | undefined }>({});

  async function read(signal: AbortSignal): Promise<KnownJob> {
    const [timeline, name] = await Promise.all([
      api.timeline(endpoint, job, signal),
      kept.current.name ?? nameOf(session, endpoint, signal),
    ]);
    const { status, attempt } = timeline;
    const run = `${status} ${attempt}`;
    const error = kept.current.run === run ? kept.current.error : await errorOf(endpoint, timeline, signal);
    kept.current = { name, run, error };
    const isEnded = status !== "IN_QUEUE" && status !== "IN_PROGRESS";
    return { timeline, isEnded, error, endpointName: name };
  }

  const polled = usePolled(job, isOver ? EVERY_WHEN_ENDED : EVERY, read);
  const isEnded = polled.value?.isEnded ?? false;
  useEffect(() => setOver(isEnded), [isEnded]);
  return polled;
}

async function nameOf(session: Session, endpoint: string, signal: AbortSignal): Promise<string> {
  if (!may(session, "manage")) return endpoint;
  try {
    return (await api.endpoint(endpoint, signal)).name;
  } catch (error) {
    if (error instanceof ApiError) return endpoint;
    throw error;
  }
}

/** The attempt in a timeline has only the beginning of its error. */
async function errorOf(
  endpoint: string,
  { id, status, attempts }: Timeline,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (status !== "FAILED" && status !== "TIMED_OUT") return undefined;
  try {
    const text = await api.record(endpoint, id, signal);
    const at = await memberOf(text, "error");
    return at === undefined ? undefined : JSON.parse(text.slice(at.start, at.end));
  } catch (error) {
    // Its record may have expired since.
    if (error instanceof ApiError && error.code === "JOB_NOT_FOUND") return attempts?.at(-1)?.error;
    throw error;
  }
}
