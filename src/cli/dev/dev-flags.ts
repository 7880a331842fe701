import { parseArgs } from "node:util";
import { isId } from "../../domain/ids.ts";
import { CommandFault } from "../command-fault.ts";
import { type ServerAccess, serverAccess } from "../server-access.ts";

export interface DevFlags {
  readonly file: string;
  readonly port: string | undefined;
  readonly input: string | undefined;
  readonly replay: ReplayFlags | undefined;
}

/** A job of some server. */
export interface ReplayFlags extends ServerAccess {
  readonly endpoint: string;
  readonly job: string;
}

/** Throws CommandFault. */
export function devFlags(args: string[]): DevFlags {
  const { values, positionals } = parse(args);
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    throw new CommandFault("name one handler file: forebay dev handler.ts.");
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
    throw new CommandFault("say which job to replay: --replay <endpoint>/<job>.");
  }
  return { ...serverAccess(values), endpoint, job };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        port: { type: "string" },
        input: { type: "string" },
        replay: { type: "string" },
        endpoint: { type: "string" },
        server: { type: "string" },
        key: { type: "string" },
      },
    });
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}
