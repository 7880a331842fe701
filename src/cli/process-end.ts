/** A terminal and the launcher each send the same signal; the second one within this time is ignored, ms. */
const SAME_SIGNAL = 300;

/** Resolves at the first SIGINT, SIGTERM or SIGHUP. The second one calls `onSecond`. */
export function stopSignal(onSecond: () => void): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (): void => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        resolve();
      } else if (performance.now() - firstAt > SAME_SIGNAL) {
        onSecond();
      }
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, onSignal);
  });
}

/** The code of an internal software error (sysexits.h). */
const FAULT = 70;

/**
 * Ends the process with code 70 after an uncaught error: the process cannot be trusted any more, and durable
 * data is there at the next start. `report` gets the message and the stack, and has `grace` ms to finish what
 * it begins.
 */
export function exitOnFault(report: (message: string, error: string) => void, grace = 0): void {
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => {
      report(
        `the program failed (${event}) and exits with code ${FAULT}`,
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      if (grace === 0) process.exit(FAULT);
      setTimeout(() => process.exit(FAULT), grace);
    });
  }
}
