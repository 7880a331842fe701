import { relative } from "node:path";
import { ForebayError } from "@forebay/worker/client";
import type { DevServer } from "../../dev/start-dev-server.ts";
import { visibleLine, visibleText } from "../../domain/visible-text.ts";
import type { JobAnswer } from "../../http/answers/job.ts";
import { isOwnFrame } from "../../host/own-program.ts";
import { serverText } from "../server-call.ts";
import { errorText, type LocalFrames } from "../terminal/error-text.ts";
import type { Colour, Terminal } from "./terminal.ts";

/** Shows a job that has ended. If its record cannot be read any more, a line says so. */
export async function showEnd(
  server: Pick<DevServer, "url" | "key" | "clock">,
  endpoint: string,
  id: string,
  terminal: Terminal,
): Promise<void> {
  try {
    const job = await finishedJob(server, endpoint, id);
    for (const line of jobLines(job, server.clock.now(), terminal)) terminal.line(line);
  } catch (error) {
    if (!(error instanceof ForebayError)) throw error;
    // The record was deleted, or the server has stopped.
    terminal.line(terminal.paint("yellow", `job ${id} ended: ${error.message}`));
  }
}

/** A job that has ended, as the API returns it. */
export interface FinishedJob extends JobAnswer {
  readonly input: unknown;
}

/** Throws ForebayError if the job or the server is gone. */
export async function finishedJob(
  { url: server, key }: Pick<DevServer, "url" | "key">,
  endpoint: string,
  job: string,
): Promise<FinishedJob> {
  const [record, input] = await Promise.all([
    serverText({ server, key }, `/v2/${endpoint}/status/${job}`),
    serverText({ server, key }, `/v1/endpoints/${endpoint}/jobs/${job}/input`),
  ]);
  return { ...JSON.parse(record), input: JSON.parse(input) };
}

const COLOURS: Readonly<Record<string, Colour>> = { COMPLETED: "green", CANCELLED: "yellow" };

/** How many characters of input and output are shown if lines have no limit. */
const ROOM = 200;

/** Lines below the state of a job are indented by this. */
const INDENT = " ".repeat("00:00:00 ".length);

/**
 * The result of a job in one line: time, state, id, waiting time, run time, input and output. In a narrow
 * terminal, input and output get their own line. An error follows with its stack.
 */
export function jobLines(job: FinishedJob, now: number, terminal: Terminal): string[] {
  const { paint, columns } = terminal;
  const time = new Date(now).toTimeString().slice(0, 8);
  const { status, id, delayTime = 0, executionTime = 0 } = job;
  const rest = `${id} ${milliseconds(delayTime)} + ${milliseconds(executionTime)}`;
  const head = `${paint("dim", time)} ${paint(COLOURS[status] ?? "red", status)} ${rest}`;
  const width = `${time} ${status} ${rest}`.length;
  const whole = payloads(job, ROOM);
  const lines =
    columns === undefined || width + 1 + whole.length <= columns
      ? [`${head} ${whole}`]
      : [head, paint("dim", `${INDENT}${payloads(job, columns - INDENT.length)}`)];
  if (job.error !== undefined) lines.push(...errorLines(job.error, terminal));
  return lines;
}

const LOCAL_FRAMES: LocalFrames = {
  isLibrary: isOwnFrame,
  shorten: (path) => relative(process.cwd(), path),
};

function errorLines(error: string, { paint }: Terminal): string[] {
  const text = visibleText(errorText(error, LOCAL_FRAMES));
  const [sentence = "", ...stack] = text.split("\n");
  return [paint("red", `  ${sentence}`), ...stack.map((line) => `  ${line}`)];
}

function milliseconds(ms: number): string {
  return ms < 10_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Input and output in at most `room` characters. A long input leaves half of them to the output. */
function payloads({ input, output }: FinishedJob, room: number): string {
  const arrow = " -> ";
  const from = cut(visibleLine(JSON.stringify(input)), Math.floor((room - arrow.length) / 2));
  const to = output === undefined ? "-" : visibleLine(JSON.stringify(output));
  return `${from}${arrow}${cut(to, room - arrow.length - from.length)}`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}
