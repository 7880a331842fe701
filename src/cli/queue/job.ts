import { type Endpoint, ForebayError } from "@forebay/worker/client";
import { visibleLine } from "../../domain/visible-text.ts";
import type { FoundJobAnswer } from "../../http/answers/found-job.ts";
import type { TimelineAnswer } from "../../http/answers/timeline.ts";
import { CommandFault } from "../command-fault.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { connect, endpointInPath, type ServerAccess, serverText } from "../server-call.ts";
import { durationText } from "../terminal/duration-text.ts";
import { errorText } from "../terminal/error-text.ts";
import { type Column, nameValues, plain, type Style, table } from "../terminal/print.ts";
import { shown, widthOf } from "../terminal/terminal-text.ts";
import { parseJobCall } from "../manage/manage-call.ts";
import { type Moment, momentsOf } from "./job-moments.ts";
import { styleOf } from "./show-job.ts";

/** Prints the timeline of a job, and why it waits. */
export const job: Command = {
  words: "[endpoint] <job>",
  about: `
Prints the timeline of the job, one line per event: the time since it was
submitted, the event, and the worker. For a waiting job, it prints the place in
the queue and why the job waits. For a failed job, it prints the error with the
frames of its own code. If the result has expired, it prints the record in the
history of the server.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay job hello $JOB", "forebay job $JOB"],
  async run(args) {
    const { access, endpoint, job: id, isJson } = parseJobCall(args);
    const found = await timelineOrRecord(access, endpoint, id);
    // The answer as it arrived: JavaScript would round long numbers.
    if (isJson) return console.log(shown(found.timeline ?? found.record));
    if (found.timeline === undefined) return console.log(pastText(JSON.parse(found.record)));
    const timeline: TimelineAnswer = JSON.parse(found.timeline);
    const error = await errorOf(connect(access).endpoint(found.endpoint), timeline);
    console.log(timelineText(timeline, error, widthOf(process.stdout)));
  },
};

type Found =
  | { readonly timeline: string; readonly endpoint: string }
  | { readonly timeline?: undefined; readonly record: string };

/** The timeline of a job; its record in the history if its result has expired. */
async function timelineOrRecord(
  access: ServerAccess,
  endpoint: string | undefined,
  id: string,
): Promise<Found> {
  const given = endpoint === undefined ? undefined : await timelineOn(access, endpoint, id);
  if (given !== undefined) return given;
  const record = await serverText(access, `/v1/jobs/${id}`);
  const { endpoint: name, endpointId }: FoundJobAnswer = JSON.parse(record);
  if (endpoint === undefined) return (await timelineOn(access, endpointId, id)) ?? { record };
  if (endpoint === endpointId || endpoint === name) return { record };
  throw new CommandFault(`job ${id} is not on ${endpoint}, but on ${name}: forebay job ${id}`);
}

/** Undefined if there is none, or no longer. */
async function timelineOn(access: ServerAccess, endpoint: string, id: string): Promise<Found | undefined> {
  try {
    const path = `/v1/endpoints/${endpointInPath(endpoint)}/jobs/${id}`;
    return { timeline: await serverText(access, path), endpoint };
  } catch (error) {
    if (error instanceof ForebayError && error.code === "JOB_NOT_FOUND") return undefined;
    throw error;
  }
}

function pastText(job: FoundJobAnswer): string {
  const { tags = [], executionTime, workerId, version, error, endedAt, inputStart } = job;
  const lines: readonly (readonly [name: string, value: string | undefined, style?: Style])[] = [
    ["id", job.id],
    ["endpoint", job.endpoint],
    ["status", job.status, styleOf(job.status)],
    ["submitted", job.submittedAt],
    ["ended", endedAt],
    ["ran", executionTime === undefined ? undefined : durationText(executionTime)],
    ["worker", workerId],
    ["version", version?.toString()],
    ["attempts", String(job.attempt)],
    ["made from", job.resubmittedFrom?.id],
    ["tags", tags.length === 0 ? undefined : tags.join(" ")],
    ["input", inputStart],
    ["error", error === undefined ? undefined : errorText(error)],
  ];
  const known = lines.flatMap(([name, value, style = plain]) =>
    value === undefined ? [] : [[name, value, style] as const],
  );
  return `${nameValues(known)}\n\nIts result has expired: this is its record in the history.`;
}

/** The whole error of a failed job: its attempt has only the beginning. */
async function errorOf(
  endpoint: Endpoint,
  { id, status, attempts }: TimelineAnswer,
): Promise<string | undefined> {
  if (status !== "FAILED" && status !== "TIMED_OUT") return undefined;
  try {
    const job = await endpoint.status(id);
    return "error" in job ? job.error : undefined;
  } catch (error) {
    // Its record may have expired since.
    if (error instanceof ForebayError) return attempts.at(-1)?.error;
    throw error;
  }
}

function timelineText(timeline: TimelineAnswer, error: string | undefined, width: number): string {
  const { status, position, reason, progress, resubmittedFrom } = timeline;
  const head = nameValues([
    ["id", timeline.id],
    ["status", status, styleOf(status)],
    ...(position === undefined ? [] : [["position", String(position)] as const]),
    ...(progress === undefined ? [] : [["progress", JSON.stringify(progress)] as const]),
    ...(resubmittedFrom === undefined ? [] : [["made from", resubmittedFrom.id] as const]),
    ...(error === undefined ? [] : [["error", errorText(error)] as const]),
  ]);
  const moments = momentsOf(timeline);
  const rows = table(moments, columnsOf(timeline, moments, width), width);
  const why = reason === undefined ? "" : `\n\nIt waits (${reason.code}):\n${folded(reason.message, width)}`;
  return `${head}\n\n${rows}${why}`;
}

/** The spaces between the columns of the table. */
const GAPS = 4;

/** What happened is cut if it is too long. The JSON output has all of it. */
function columnsOf(
  { submittedAt }: TimelineAnswer,
  moments: readonly Moment[],
  width: number,
): Column<Moment>[] {
  const since = Date.parse(submittedAt);
  const time: Column<Moment> = {
    title: "TIME",
    text: ({ at }) => `+${durationText(Math.max(0, at - since))}`,
  };
  const who: Column<Moment> = { title: "WHO", text: (moment) => moment.who };
  const widest = ({ title, text }: Column<Moment>): number =>
    Math.max(title.length, ...moments.map((moment) => visibleLine(text(moment)).length));
  const room = Math.max(20, width - widest(time) - widest(who) - GAPS);
  return [time, { title: "WHAT", text: ({ what }) => cut(visibleLine(what), room) }, who];
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 1)}…`;
}

/** A sentence, wrapped to this many characters. */
function folded(sentence: string, width: number): string {
  const lines = [""];
  for (const word of visibleLine(sentence).split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}
