import type { Figures, Percentiles } from "../answers.ts";
import { spanText } from "./when.tsx";

/** How many jobs ended in a span of this many ms, for each minute or second. */
export function rateText({ completed, failed, timedOut }: Figures, ms: number): string {
  const perSecond = ((completed + failed + timedOut) * 1_000) / ms;
  if (perSecond === 0) return "0";
  if (perSecond >= 1) return `${short(perSecond)} / s`;
  if (perSecond * 60 >= 0.1) return `${short(perSecond * 60)} / min`;
  return `${short(perSecond * 3_600)} / h`;
}

/** The share of the jobs that ended in failure. */
export function failureText({ completed, failed, timedOut }: Figures): string {
  const ended = completed + failed + timedOut;
  if (ended === 0) return "–";
  const share = ((failed + timedOut) * 100) / ended;
  return `${share === 0 ? "0" : share.toFixed(share < 10 ? 1 : 0)} %`;
}

/** Times to which half and 95 % of the jobs kept. */
export function percentilesText({ p50, p95 }: Percentiles): string {
  return p50 === undefined || p95 === undefined ? "–" : `${spanText(p50)} / ${spanText(p95)}`;
}

function short(number: number): string {
  return number >= 100 ? Math.round(number).toLocaleString("en-US") : number.toFixed(1);
}
