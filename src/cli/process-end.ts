/** A terminal and the program that started this one each pass on the same signal; ms. */
const SAME_SIGNAL = 300;

/** Resolves at the first SIGINT, SIGTERM or SIGHUP; `onSecond` is called at the second one. */
export function toldToStop(onSecond: () => void): Promise<void> {
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

/** As for an internal fault of software (sysexits.h). */
const FAULT = 70;

/**
 * Ends the process with code 70 after a fault that no code catches. What runs on after one cannot be trusted;
 * what is durable is there at the next start. `tell` gets what happened and the stack; what it has begun has
 * `grace` ms to end.
 */
export function exitOnFault(tell: (message: string, error: string) => void, grace = 0): void {
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (error: unknown) => {
      tell(
        `the program failed (${event}); it ends with code ${FAULT}`,
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
      if (grace === 0) process.exit(FAULT);
      setTimeout(() => process.exit(FAULT), grace);
    });
  }
}
