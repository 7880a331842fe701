import { BUCKET_BOUNDS, countOf, type Histogram } from "../../domain/histogram.ts";
import type { Metric } from "./metric-table.ts";

/** One value of a metric, its labels in the order of the table. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number | ScaledHistogram;
}

/** A histogram, and how many of its units make one unit of the metric. */
export interface ScaledHistogram {
  readonly histogram: Histogram;
  readonly units: number;
}

/** The media type of the text format of Prometheus. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A metric with its samples, in the text format of Prometheus 0.0.4; empty without samples. */
export function exposition(name: string, { type, labels, help }: Metric, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const head = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`;
  return head + samples.map((sample) => textOf(name, labels, sample)).join("");
}

function textOf(name: string, labels: readonly string[], { labels: values, value }: Sample): string {
  const pairs = labels.map((label, index) => `${label}="${quoted(values[index] ?? "")}"`).join(",");
  if (typeof value === "number") return `${name}${pairs === "" ? "" : `{${pairs}}`} ${value}\n`;
  return histogramText(name, pairs, value);
}

function histogramText(name: string, pairs: string, { histogram, units }: ScaledHistogram): string {
  const others = pairs === "" ? "" : `${pairs},`;
  let below = 0;
  let text = "";
  for (const [index, bound] of BUCKET_BOUNDS.entries()) {
    below += histogram.buckets[index] ?? 0;
    text += `${name}_bucket{${others}le="${inUnit(bound, units)}"} ${below}\n`;
  }
  const count = countOf(histogram);
  const end = pairs === "" ? "" : `{${pairs}}`;
  text += `${name}_bucket{${others}le="+Inf"} ${count}\n`;
  return `${text}${name}_sum${end} ${inUnit(histogram.sum, units)}\n${name}_count${end} ${count}\n`;
}

/** Drops the last digits of a division, which mean nothing. */
function inUnit(value: number, units: number): number {
  return Number((value / units).toPrecision(12));
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function quoted(text: string): string {
  return escaped(text).replaceAll('"', '\\"');
}
