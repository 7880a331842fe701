import { CLIENT_FLAGS, type Command, type Flags } from "./command.ts";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { isId } from "../domain/ids.ts";
import type { EndpointAnswer } from "../http/answers/endpoint.ts";
import type { LogLineAnswer } from "../http/answers/worker.ts";
import { CommandFault } from "./command-fault.ts";
import { callServer, endpointInPath, listAll, openOnServer, type ServerAccess } from "./server-call.ts";
import { parseManageCall } from "./manage/manage-call.ts";
import { shown, printMessage } from "./terminal/terminal-text.ts";

const FLAGS = {
  worker: { type: "string", value: "<id>", help: "only the logs of this worker" },
  job: { type: "string", value: "<id>", help: "the logs of this job" },
  tail: { type: "string", value: "<number>", help: "only this many of the last lines" },
  follow: { type: "boolean", short: "f", help: "follow until the worker ends" },
} as const satisfies Flags;

/** Prints the logs of a worker; with `--follow` until it has ended. */
export const logs: Command = {
  words: "<endpoint>",
  about: `
Prints the logs of the newest worker of the endpoint that Forebay started, or of
the last one that exited. Requires a key with the scope manage.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay logs hello -f", "forebay logs hello --job $JOB"],
  async run(args) {
    const {
      access,
      word: endpoint,
      isJson,
      text,
      isSet,
    } = parseManageCall(args, "id or name of the endpoint", FLAGS);
    const [worker, job, tail] = [text("worker"), text("job"), text("tail")];
    checkIds({ worker, job });
    const isFollowing = isSet("follow");
    if (job !== undefined && (worker !== undefined || isFollowing || tail !== undefined)) {
      throw new CommandFault("--job prints all logs of a job. Leave out --worker, --tail and -f.");
    }
    const base = `/v1/endpoints/${endpointInPath(endpoint)}`;
    const query = new URLSearchParams({
      ...(tail === undefined ? {} : { tail }),
      ...(isFollowing ? { follow: "true" } : {}),
    });
    const path =
      job === undefined
        ? `${base}/workers/${worker ?? (await newestOf(access, base))}/logs?${query.toString()}`
        : `${base}/jobs/${job}/logs`;
    const stopping = new AbortController();
    // The listener stays: the launcher sends the same signal a second time.
    process.on("SIGINT", () => stopping.abort());
    try {
      const lines = Readable.from(await openOnServer(access, { path, signal: stopping.signal }));
      for await (const line of createInterface({ input: lines })) print(line, isJson);
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  },
};

function checkIds(ids: Readonly<Record<string, string | undefined>>): void {
  for (const [what, id] of Object.entries(ids)) {
    if (id === undefined || isId(id)) continue;
    throw new CommandFault(`${JSON.stringify(id)} is not an id of a ${what}.`);
  }
}

/** The worker that was started last; without one, the last that exited by itself. Throws CommandFault. */
async function newestOf(access: ServerAccess, base: string): Promise<string> {
  const workers = await listAll(access, `${base}/workers`, "workers");
  const newest = workers.findLast(({ managed }) => managed);
  if (newest !== undefined) return newest.id;
  const { fleet } = await callServer<EndpointAnswer>(access, base, "{");
  const last = fleet?.lastExit?.worker;
  if (last !== undefined) return last;
  throw new CommandFault("Forebay has started no worker here. Name the worker: --worker <id>.");
}

function print(text: string, isJson: boolean): void {
  if (text.trim() === "") return;
  if (isJson) return console.log(text.trim());
  const { stream, line }: LogLineAnswer = JSON.parse(text);
  if (stream === "forebay") printMessage(line);
  else console.log(shown(line));
}
