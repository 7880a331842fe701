const MINUTE = 60_000;

/** A time as date fields take it, in the browser's time zone: to the minute, or to the second if it has some. */
export function localText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString();
  return at % MINUTE === 0 ? local.slice(0, 16) : local.slice(0, 19);
}

/** The time in a date field, as ISO 8601 in UTC. */
export function isoText(local: string): string {
  return new Date(local).toISOString();
}
