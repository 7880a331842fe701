import type { Figures, Percentiles } from "../answers.ts";

/** A duration, in its two largest units. */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min${rest(Math.floor((ms % 60_000) / 1_000), "s")}`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h${rest(minutes % 60, "min")}`;
  return `${Math.floor(minutes / 1_440)} d${rest(Math.floor((minutes % 1_440) / 60), "h")}`;
}

function rest(count: number, unit: string): string {
  return count === 0 ? "" : ` ${count} ${unit}`;
}

/** A short time. Hovering and screen readers get the full time. */
export function When({ at }: { at: string | undefined }) {
  if (at === undefined) return <span class="soft">–</span>;
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  const text = isToday
    ? time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" })
    : time.toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return (
    <time dateTime={at} title={time.toISOString()}>
      {text}
    </time>
  );
}

/** A number with thousands separators. */
export function countText(count: number): string {
  return count.toLocaleString("en-US");
}

/** A number of bytes, in the largest unit. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} kB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** The rate of ended jobs in a period of this many ms, for each second, minute or hour. */
export function rateText({ completed, failed, timedOut }: Figures, ms: number): string {
  const perSecond = ((completed + failed + timedOut) * 1_000) / ms;
  if (perSecond === 0) return "0";
  if (perSecond >= 1) return `${short(perSecond)} / s`;
  if (perSecond * 60 >= 0.1) return `${short(perSecond * 60)} / min`;
  return `${short(perSecond * 3_600)} / h`;
}

/** The percentage of ended jobs that failed or timed out. */
export function failureText({ completed, failed, timedOut }: Figures): string {
  const ended = completed + failed + timedOut;
  if (ended === 0) return "–";
  const share = ((failed + timedOut) * 100) / ended;
  return `${share === 0 ? "0" : share.toFixed(share < 10 ? 1 : 0)} %`;
}

/** The median and the 95th percentile of a duration. */
export function percentilesText({ p50, p95 }: Percentiles): string {
  return p50 === undefined || p95 === undefined ? "–" : `${spanText(p50)} / ${spanText(p95)}`;
}

function short(number: number): string {
  return number >= 100 ? Math.round(number).toLocaleString("en-US") : number.toFixed(1);
}

const MINUTE = 60_000;

/** A time as date fields take it, in the time zone of the browser: with its seconds if it has some. */
export function localText(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString();
  return at % MINUTE === 0 ? local.slice(0, 16) : local.slice(0, 19);
}

/** The time in a date field, as ISO 8601 in UTC. */
export function isoText(local: string): string {
  return new Date(local).toISOString();
}
