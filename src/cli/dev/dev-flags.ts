import { isId } from "../../domain/ids.ts";
import { type Flags, SERVER_FLAGS } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { parseWords } from "../parse-words.ts";
import { type ServerAccess, serverAccess } from "../server-call.ts";

interface DevFlags {
  readonly file: string;
  readonly port: string | undefined;
  readonly input: string | undefined;
  readonly replay: ReplayFlags | undefined;
}

/** A job on another server. */
export interface ReplayFlags extends ServerAccess {
  readonly endpoint: string;
  readonly job: string;
}

export const DEV_FLAGS = {
  port: { type: "string", value: "<port>", help: "where to listen; default: 8000" },
  input: { type: "string", value: "<input>", help: "run one job and end: JSON, a file, or - (stdin)" },
  replay: {
    type: "string",
    value: "<endpoint>/<job>",
    help: "run a job of another server again and end",
  },
  endpoint: {
    type: "string",
    value: "<id>",
    help: "the endpoint of the job, where --replay has only the job",
  },
  ...SERVER_FLAGS,
} as const satisfies Flags;

/** Throws CommandFault. */
export function devFlags(args: string[]): DevFlags {
  const { values, positionals } = parseWords(args, DEV_FLAGS);
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    throw new CommandFault("give one handler file: forebay dev handler.ts.");
  }
  const { port, input, replay } = values;
  return { file, port, input, replay: replay === undefined ? undefined : replayFlags(replay, values) };
}

interface ReplayValues {
  readonly endpoint?: string | undefined;
  readonly server?: string | undefined;
  readonly key?: string | undefined;
}

function replayFlags(replay: string, values: ReplayValues): ReplayFlags {
  const [job = "", inPath] = replay.split("/").toReversed();
  const endpoint = values.endpoint ?? inPath ?? "";
  if (!isId(job) || !isId(endpoint)) {
    throw new CommandFault("name the job to replay: --replay <endpoint>/<job>.");
  }
  return { ...serverAccess(values), endpoint, job };
}
