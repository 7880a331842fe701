import type { Clock } from "../../domain/clock.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";

/**
 * How long to wait for the next look after an event, ms. Each wait is twice the one before, up to POLL.
 * Docker sends the event of an exit a moment before its list shows it, and events can be lost.
 */
const FIRST_POLL = 25;
const POLL = 3_200;

/** How long to wait before a broken stream of events is opened again, ms. */
const PAUSE = 500;

/**
 * Calls `look` after each event that matches the query, and at least every POLL ms. `look` may throw
 * EngineFault. The returned function stops it.
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

  /** One look at a time. An event during a look causes another one afterwards. */
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
      // Catches up with what happened before the stream was open.
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

/** An engine that is away, or refuses the call, is asked again later. */
function unlessAway(error: unknown): void {
  if (!(error instanceof EngineFault)) throw error;
}
