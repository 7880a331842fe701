import { systemClock } from "../host/system-clock.ts";
import { Interrupted } from "./command-fault.ts";
import { ProgressLine } from "./terminal/progress-line.ts";

/** Between two looks, ms. */
const LOOK = 500;

/**
 * Calls `look` repeatedly until it returns undefined. Meanwhile shows what it returns on a line of the
 * terminal. Ctrl-C throws Interrupted with `goOn`.
 */
export async function watchUntil(
  goOn: string,
  look: (signal: AbortSignal) => Promise<string | undefined>,
): Promise<void> {
  const line = new ProgressLine();
  const clock = systemClock();
  const stopping = new AbortController();
  let wake = (): void => undefined;
  // The listener stays: the launcher sends the same signal a second time.
  process.on("SIGINT", () => {
    stopping.abort(new Interrupted(goOn));
    wake();
  });
  try {
    for (;;) {
      const told = await look(stopping.signal);
      if (told === undefined) return;
      line.write(told);
      await new Promise<void>((resolve) => {
        wake = resolve;
        clock.after(LOOK, resolve);
      });
      stopping.signal.throwIfAborted();
    }
  } finally {
    line.clear();
  }
}
