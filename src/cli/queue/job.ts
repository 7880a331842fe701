import { visibleLine } from "../../domain/visible-text.ts";
import type { TimelineAnswer } from "../../http/answers/timeline.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { endpointInPath, serverAccess, serverText } from "../server-call.ts";
import { durationText } from "../terminal/duration-text.ts";
import { type Column, nameValues, table } from "../terminal/print.ts";
import { shown, widthOf } from "../terminal/terminal-text.ts";
import { type Moment, momentsOf } from "./job-moments.ts";
import { parseQueueCall } from "./queue-call.ts";
import { styleOf } from "./show-job.ts";

/** Prints the timeline of a job, and why it waits. */
export const job: Command = {
  words: "<endpoint> <job>",
  about: `
Prints the timeline of the job, one line per event: the time since it was
submitted, the event, and the worker. For a waiting job, its place in the queue
and why it waits.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay job hello $JOB"],
  async run(args) {
    const { endpoint, job: id, isJson, text } = parseQueueCall(args, ["endpoint", "job"]);
    const access = serverAccess({ server: text("server"), key: text("key") });
    const answer = await serverText(access, `/v1/endpoints/${endpointInPath(endpoint.id)}/jobs/${id}`);
    // The answer as it arrived: JavaScript would round long numbers.
    console.log(isJson ? shown(answer) : timelineText(JSON.parse(answer), widthOf(process.stdout)));
  },
};

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
