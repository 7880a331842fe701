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
