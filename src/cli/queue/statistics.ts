import { isId } from "../../domain/ids.ts";
import { CommandFault } from "../command-fault.ts";
import { parseManageCall } from "../manage/manage-call.ts";
import { callServer } from "../server-call.ts";
import { durationText } from "../terminal/duration-text.ts";
import { nameValues } from "../terminal/name-values.ts";
import { type Column, table } from "../terminal/table.ts";
import { widthOf } from "../terminal/width-of.ts";

/** What `GET /v1/endpoints/{endpoint}/statistics` answers, as far as it is shown. */
interface Statistics {
  readonly period: string;
  readonly now: {
    readonly inQueue: number;
    readonly inProgress: number;
    readonly oldestMs?: number;
    readonly workers: Readonly<Record<string, number>>;
  };
  readonly total: Readonly<Record<Counted, number>> & { readonly delay: Times; readonly execution: Times };
}

type Counted = (typeof COUNTED)[number][0];

interface Times {
  readonly count: number;
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
}

const COUNTED = [
  ["submitted", "submitted"],
  ["taken", "handed out"],
  ["completed", "completed"],
  ["failed", "failed"],
  ["timedOut", "timed out"],
  ["cancelled", "cancelled"],
  ["retried", "retried"],
  ["lost", "lost attempts"],
] as const;

const COLUMNS: readonly Column<readonly [name: string, times: Times]>[] = [
  { title: "TIMES", text: ([name]) => name },
  { title: "JOBS", text: ([, { count }]) => String(count) },
  { title: "P50", text: ([, { p50 }]) => timeText(p50) },
  { title: "P95", text: ([, { p95 }]) => timeText(p95) },
  { title: "P99", text: ([, { p99 }]) => timeText(p99) },
];

/** Tells how it is with an endpoint, and what has happened on it within a period. */
export async function statistics(args: string[]): Promise<void> {
  const { access, word, isJson, text } = parseManageCall(args, "id of the endpoint", {
    period: { type: "string" },
  });
  if (!isId(word)) throw new CommandFault(`${JSON.stringify(word)} is no id of an endpoint.`);
  const period = encodeURIComponent(text("period") ?? "1h");
  const path = `/v1/endpoints/${word}/statistics?period=${period}`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the operation answers just this
  const answer = (await callServer(access, path, '{"endpointId":')) as Statistics;
  console.log(isJson ? JSON.stringify(answer) : shown(answer));
}

function shown({ period, now, total }: Statistics): string {
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
      widthOf(process.stdout),
    ),
  ].join("\n\n");
}

function timeText(ms: number | undefined): string {
  return ms === undefined ? "-" : durationText(ms);
}
