import type { FiguresAnswer, StatisticsAnswer, SummaryAnswer } from "../../http/answers/statistics.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, nameValues, table } from "../terminal/print.ts";

const COUNTED = [
  ["submitted", "submitted"],
  ["taken", "handed out"],
  ["completed", "completed"],
  ["failed", "failed"],
  ["timedOut", "timed out"],
  ["cancelled", "cancelled"],
  ["retried", "retried"],
  ["lost", "lost attempts"],
] as const satisfies readonly (readonly [keyof FiguresAnswer, string])[];

const COLUMNS: readonly Column<readonly [name: string, times: FiguresAnswer["delay"]]>[] = [
  { title: "TIMES", text: ([name]) => name },
  { title: "JOBS", text: ([, { count }]) => String(count) },
  { title: "P50", text: ([, { p50 }]) => timeText(p50) },
  { title: "P95", text: ([, { p95 }]) => timeText(p95) },
  { title: "P99", text: ([, { p99 }]) => timeText(p99) },
];

/** The statistics of one endpoint, for people. */
export function statisticsText({ period, now, total }: StatisticsAnswer, width: number): string {
  const { inQueue, inProgress, oldestMs, workers } = now;
  const present = Object.entries(workers).filter(([state, count]) => count > 0 && state !== "ready");
  return [
    nameValues([
      ["jobs in queue", String(inQueue)],
      ["oldest of them", timeText(oldestMs)],
      ["jobs in progress", String(inProgress)],
      ["workers", present.map(([state, count]) => `${count} ${state}`).join(", ") || "none"],
    ]),
    `The last ${period}:`,
    nameValues(COUNTED.map(([name, label]) => [label, String(total[name])])),
    table(
      [
        ["until the hand-out", total.delay],
        ["from there to the end", total.execution],
      ],
      COLUMNS,
      width,
    ),
  ].join("\n\n");
}

/** A line for each endpoint. */
export function summariesText(endpoints: readonly SummaryAnswer[], width: number): string {
  return endpoints.length === 0 ? "no endpoint" : table(endpoints, SUMMARY_COLUMNS, width);
}

const SUMMARY_COLUMNS: readonly Column<SummaryAnswer>[] = [
  { title: "ENDPOINT", text: ({ endpointId }) => endpointId },
  { title: "QUEUE", text: ({ now }) => String(now.inQueue) },
  { title: "RUNS", text: ({ now }) => String(now.inProgress) },
  { title: "DONE", text: ({ total }) => String(total.completed) },
  { title: "FAILED", text: ({ total }) => String(total.failed + total.timedOut) },
  { title: "WAIT P95", text: ({ total }) => timeText(total.delay.p95) },
  { title: "RUN P95", text: ({ total }) => timeText(total.execution.p95) },
  { title: "NAME", text: ({ name }) => name },
];

function timeText(ms: number | undefined): string {
  return ms === undefined ? "-" : durationText(ms);
}
