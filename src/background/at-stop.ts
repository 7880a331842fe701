import { type ErrorCode, ForebayError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Engine } from "../engine/engine.ts";

/** Errors of a store that has no room or does not answer. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(["STORAGE_FULL", "STORAGE_UNAVAILABLE"]);

/**
 * Waits for a part of the stop, whose failure must not prevent the others. What a store refuses is done by
 * another server, or after the next start. Any other error is logged.
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
 * Waits for a part of the stop, at most `limit` ms. The next start makes up for the rest, as after a crash.
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
