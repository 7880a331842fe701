import { ForebayError } from "@forebay/worker/client";
import { visibleLine } from "../../domain/visible-text.ts";
import type { FoundJobAnswer } from "../../http/answers/found-job.ts";
import type { TimelineAnswer } from "../../http/answers/timeline.ts";
import { CommandFault } from "../command-fault.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { endpointInPath, type ServerAccess, serverText } from "../server-call.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, nameValues, plain, type Style, table } from "../terminal/print.ts";
import { shown, widthOf } from "../terminal/terminal-text.ts";
import { parseJobCall } from "../manage/manage-call.ts";
import { type Moment, momentsOf } from "./job-moments.ts";
import { styleOf } from "./show-job.ts";

/** Prints the timeline of a job, and why it waits. */
export const job: Command = {
  words: "[endpoint] <job>",
  about: `
Prints what happened to the job, a line for each moment: the time since it was
submitted, what, and who. Of a job that waits, its place in the queue and why.
Of a job whose result has expired, what the history of the server has.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay job hello $JOB", "forebay job $JOB"],
  async run(args) {
    const { access, endpoint, job: id, isJson } = parseJobCall(args);
    const found = await timelineOrRecord(access, endpoint, id);
    // The answer as it arrived: JavaScript would round long numbers.
    if (isJson) console.log(shown(found.timeline ?? found.record));
    else if (found.timeline === undefined) console.log(pastText(JSON.parse(found.record)));
    else console.log(timelineText(JSON.parse(found.timeline), widthOf(process.stdout)));
  },
};

type Found =
  | { readonly timeline: string; readonly record?: undefined }
  | { readonly timeline?: undefined; readonly record: string };

/** The timeline of a job; its record in the history if its result has expired. */
async function timelineOrRecord(
  access: ServerAccess,
  endpoint: string | undefined,
  id: string,
): Promise<Found> {
  const timelineOn = (on: string) => serverText(access, `/v1/endpoints/${endpointInPath(on)}/jobs/${id}`);
  try {
    if (endpoint !== undefined) return { timeline: await timelineOn(endpoint) };
  } catch (error) {
    if (!isExpired(error)) throw error;
  }
  const record = await serverText(access, `/v1/jobs/${id}`);
  const { endpoint: name, endpointId }: FoundJobAnswer = JSON.parse(record);
  if (endpoint === undefined) {
    try {
      return { timeline: await timelineOn(endpointId) };
    } catch (error) {
      if (!isExpired(error)) throw error;
    }
  } else if (endpoint !== endpointId && endpoint !== name) {
    throw new CommandFault(`job ${id} is not on ${endpoint}, but on ${name}: forebay job ${id}`);
  }
  return { record };
}

function isExpired(error: unknown): boolean {
  return error instanceof ForebayError && error.code === "JOB_NOT_FOUND";
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
    ["tags", tags.length === 0 ? undefined : tags.join(" ")],
    ["input", inputStart],
    ["error", error],
  ];
  const known = lines.flatMap(([name, value, style = plain]) =>
    value === undefined ? [] : [[name, value, style] as const],
  );
  return `${nameValues(known)}\n\nIts result has expired: this is its record in the history.`;
}

function timelineText(timeline: TimelineAnswer, width: number): string {
  const { status, position, reason, progress } = timeline;
  const head = nameValues([
    ["id", timeline.id],
    ["status", status, styleOf(status)],
    ...(position === undefined ? [] : [["position", String(position)] as const]),
    ...(progress === undefined ? [] : [["progress", JSON.stringify(progress)] as const]),
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
