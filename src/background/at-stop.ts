import { type ErrorCode, ForebayError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Engine } from "../engine/engine.ts";

/** With these a store may refuse it: it has no room, or does not answer. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(["STORAGE_FULL", "STORAGE_UNAVAILABLE"]);

/**
 * Something that a server still does while it stops, and whose failure keeps it from nothing else. What a
 * store refuses is made good by the next server or the next start; any other fault is told in the log.
 */
export async function atStop(log: Log, what: string, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ForebayError && REFUSALS.has(error.code)) return;
    log.error("the server could not stop in order", { what, error: String(error) });
  }
}

/**
 * Waits for a part of the stop, `limit` ms at most: what is not done by then is made good at the next start,
 * as after a crash.
 */
export async function inTime(
  { clock, log }: Pick<Engine, "clock" | "log">,
  what: string,
  limit: number,
  work: Promise<unknown>,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const cancel = clock.after(limit, () => resolve("late"));
  try {
    if ((await Promise.race([work, late])) === "late") {
      log.warn("the server stops without waiting any longer", { what, limit });
    }
  } finally {
    cancel();
  }
}
