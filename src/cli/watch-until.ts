import { systemClock } from "../system-clock.ts";
import { Interrupted } from "./command-fault.ts";
import { ProgressLine } from "./terminal/progress-line.ts";

/** Between two looks, ms. */
const LOOK = 500;

/**
 * Looks again and again until there is nothing more to wait for, and tells meanwhile what `look` answers on
 * the line of a terminal; undefined is the end. Ctrl-C throws Interrupted with `goOn`.
 */
export async function watchUntil(
  goOn: string,
  look: (signal: AbortSignal) => Promise<string | undefined>,
): Promise<void> {
  const line = new ProgressLine();
  const clock = systemClock();
  const stopping = new AbortController();
  let wake = (): void => undefined;
  // It stays: the launcher passes on the signal that the terminal has sent already.
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
