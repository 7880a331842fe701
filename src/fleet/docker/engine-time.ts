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

/** The second of it as every engine takes it, since 1970: podman reads fractions otherwise than Docker. */
export function engineSecond(time: string): string {
  return String(Math.floor(Date.parse(time) / 1_000));
}
