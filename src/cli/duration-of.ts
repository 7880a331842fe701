import { DURATION_FORM, durationIn, durationOrMilliseconds } from "../domain/duration-text.ts";
import { CommandFault } from "./command-fault.ts";

/** The longest time that a timer can wait, ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** The milliseconds of the duration that a flag gives, such as 500ms, 10m or 1h 30m. Throws CommandFault. */
export function durationOf(flag: string, text: string): number {
  return known(durationIn(text), flag, text);
}

/** The same for a timer of this process: longer ones are shortened to the 24 days that it can wait. */
export function timerOf(flag: string, text: string): number {
  return Math.min(durationOf(flag, text), LONGEST_TIMER);
}

/** The same for flags that took milliseconds before they took durations. Throws CommandFault. */
export function durationOrMillisecondsOf(flag: string, text: string): number {
  return known(durationOrMilliseconds(text), flag, text);
}

function known(duration: number | undefined, flag: string, text: string): number {
  if (duration !== undefined) return duration;
  throw new CommandFault(`${flag} must be ${DURATION_FORM}, got ${JSON.stringify(text)}.`);
}
