/** The time that all processes of a machine share, ms; within one of them it never goes back. */
export function wallTime(): number {
  return performance.timeOrigin + performance.now();
}
