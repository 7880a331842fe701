import type { Clock } from "../../domain/clock.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";

/**
 * How soon it is looked again after an event, ms, each time twice as late up to POLL: Docker tells of the end
 * of a container a moment before its list shows it, and events can be lost.
 */
const FIRST_POLL = 25;
const POLL = 3_200;

/** How long after a broken stream of events the next one is asked for, ms. */
const PAUSE = 500;

/**
 * Calls `look` whenever something has happened to what the query names, as the engine tells, and again and
 * again without that. `look` may throw EngineFault. The answer ends it.
 */
export function watchEngine(
  engine: DockerEngine,
  clock: Clock,
  query: Readonly<Record<string, string>>,
  look: () => Promise<void>,
): () => void {
  const ending = new AbortController();
  let cancelPoll = (): void => undefined;
  let cancelPause = (): void => undefined;
  let looking: Promise<void> | undefined;
  let isLookDue = false;
  let pollIn = FIRST_POLL;

  /** One at a time; what happens meanwhile is looked at afterwards. */
  function lookSoon(): void {
    if (ending.signal.aborted) return;
    isLookDue = true;
    looking ??= lookWhileDue().finally(() => {
      looking = undefined;
    });
  }

  async function lookWhileDue(): Promise<void> {
    while (isLookDue && !ending.signal.aborted) {
      isLookDue = false;
      cancelPoll();
      await look().catch(unlessAway);
      cancelPoll = clock.after(pollIn, lookSoon);
      pollIn = Math.min(2 * pollIn, POLL);
    }
  }

  async function follow(): Promise<void> {
    try {
      const { signal } = ending;
      const events = await engine.open({ method: "GET", path: "/events", query, signal });
      const onEvent = (): void => {
        pollIn = FIRST_POLL;
        lookSoon();
      };
      // Whatever happened while nobody listened.
      onEvent();
      events.on("data", onEvent);
      await new Promise<void>((resolve) => {
        events.on("error", () => undefined);
        events.on("close", () => resolve());
      });
    } catch (error) {
      unlessAway(error);
    }
    if (ending.signal.aborted) return;
    cancelPause = clock.after(PAUSE, () => void follow());
  }

  void follow();
  lookSoon();
  return () => {
    ending.abort();
    cancelPoll();
    cancelPause();
  };
}

/** An engine that is away, or refuses, is asked again later. */
function unlessAway(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error;
}
