const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:[0-9]{2})$/;

/**
 * A time of an engine in UTC and with nine digits, so that texts compare as their times do; undefined for
 * what is none. Docker writes all nine, podman as many as it needs, with the offset of its machine.
 */
export function engineTime(text: string): string | undefined {
  const [, seconds = "", digits = "", zone = ""] = TIME.exec(text) ?? [];
  if (seconds === "") return undefined;
  const start = new Date(Date.parse(`${seconds}${zone}`))
    .toISOString()
    .slice(0, "2026-01-31T12:00:00".length);
  return `${start}.${digits.padEnd(9, "0")}Z`;
}

/** The same as the engine takes it: seconds since 1970. */
export function engineSeconds(time: string): string {
  const digits = /\.([0-9]+)Z$/.exec(time)?.[1] ?? "";
  return `${Math.floor(Date.parse(time) / 1_000)}.${digits.padEnd(9, "0")}`;
}
