import type { Engine } from "./engine.ts";
import { giveBack } from "./give-back.ts";

/**
 * The worker is known to run no longer: what it held goes out again. A worker that `died` has lost its jobs;
 * one that was stopped by the server (`withdrawn`) has not.
 */
export async function workerGone(
  engine: Engine,
  endpoint: string,
  worker: string,
  reason: "died" | "withdrawn",
  how?: string,
): Promise<void> {
  engine.parkedTakes.release(endpoint, worker);
  const now = engine.clock.now();
  const [answer] = await engine.store.apply(
    [
      {
        step: "seen",
        endpoint,
        worker,
        call: "call",
        pings: false,
        shown: { kind: "none" },
        // Another server may have handed the job out, by a clock that is a little ahead.
        deniableBefore: Number.MAX_SAFE_INTEGER,
      },
    ],
    now,
  );
  await Promise.all(answer.denied.map((job) => giveBack(engine, job, reason, how)));
}
