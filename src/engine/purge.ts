import { ForebayError } from "../domain/errors.ts";
import type { Engine } from "./engine.ts";

/** Jobs removed with one step: more would keep the steps of others waiting. */
const SLICE = 1_000;

/**
 * Removes all jobs that wait now and answers how many they were. Running jobs stay (spec 4.A.5). Throws
 * SHUTTING_DOWN when the server stops before all are gone.
 */
export async function purge(engine: Engine, endpoint: string): Promise<number> {
  const position = engine.jobIds.nextPosition(engine.clock.now());
  let removed = 0;
  for (;;) {
    const [answer] = await engine.store.apply(
      [{ step: "purge", endpoint, position, limit: SLICE }],
      engine.clock.now(),
    );
    removed += answer.ids.length;
    if (answer.ids.length < SLICE) return removed;
    if (engine.isStopping) throw purgeStopped(removed);
  }
}

function purgeStopped(removed: number): ForebayError {
  return new ForebayError(
    "SHUTTING_DOWN",
    `The server is stopping. ${removed} jobs were removed, and others still wait. Purge again.`,
  );
}
