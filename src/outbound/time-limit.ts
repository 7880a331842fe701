import type { Clock } from "../domain/clock.ts";

/**
 * Runs an action that is to end within `ms` milliseconds. When it has not, its signal fires with the fault,
 * which the action then throws.
 */
export async function withTimeLimit<Value>(
  clock: Clock,
  ms: number,
  fault: Error,
  action: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const controller = new AbortController();
  const forget = clock.after(Math.max(0, ms), () => controller.abort(fault));
  try {
    return await action(controller.signal);
  } finally {
    forget();
  }
}
