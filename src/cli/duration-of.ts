import { DURATION_FORM, durationIn } from "../domain/duration-text.ts";
import { CommandFault } from "./command-fault.ts";

/** The longest time that a timer can wait, ms. */
const LONGEST = 2 ** 31 - 1;

/** The milliseconds of the duration that a flag gives, such as 500ms, 10m or 1h 30m. Throws CommandFault. */
export function durationOf(flag: string, text: string): number {
  const duration = durationIn(text);
  if (duration === undefined) {
    throw new CommandFault(`${flag} must be ${DURATION_FORM}, got ${JSON.stringify(text)}.`);
  }
  return Math.min(duration, LONGEST);
}

/**
 * The same for flags that took milliseconds before they took durations: a whole number is milliseconds.
 * Throws CommandFault.
 */
export function durationOrMilliseconds(flag: string, text: string): number {
  return /^[0-9]{1,15}$/.test(text) ? Number(text) : durationOf(flag, text);
}
