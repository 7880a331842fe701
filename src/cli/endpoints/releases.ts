import type { ReleaseAnswer, ReleasesAnswer } from "../../http/answers/release.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { parseManageCall, wholeNumber } from "../manage/manage-call.ts";
import { callServer, endpointInPath, listAll, type ServerAccess } from "../server-call.ts";
import { type Column, printTable } from "../terminal/print.ts";
import { watchUntil } from "../watch-until.ts";
import { shellWord } from "../parse-words.ts";

const COLUMNS: readonly Column<ReleaseAnswer>[] = [
  { title: "VERSION", text: ({ version }) => String(version) },
  { title: "STATE", text: ({ state }) => state },
  { title: "BEGUN", text: ({ createdAt }) => createdAt },
  { title: "IMAGE", text: ({ imageName }) => imageName, most: 31 },
  { title: "PAUSED", text: ({ pausedAt }) => pausedAt ?? "" },
  { title: "ROLLS BACK TO", text: ({ rollbackTo }) => rollbackTo?.toString() ?? "" },
  { title: "STOPPED BY", text: ({ stopped }) => stopped?.lastExit.how ?? "" },
];

const FLAGS = {
  watch: { type: "boolean", help: "wait until the newest release is complete or stopped" },
} as const satisfies Flags;

const VERSION = {
  version: { type: "string", value: "<version>", help: "another version than the newest" },
} as const satisfies Flags;

const START = {
  start: { type: "boolean", help: "start one worker of it now, without a job" },
} as const satisfies Flags;

const ID = "id or name of the endpoint";

/** Lists the releases of an endpoint. With --watch, waits until the newest has ended. */
export const listReleases: Command = {
  words: "<endpoint>",
  about: `
Lists the releases of an endpoint, the newest first. A change of its template,
env, gpus or vcpus begins one. With --watch the exit code is 1 if the newest one
was stopped because its workers do not start. It waits for a paused one.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay releases list chat", "forebay releases list chat --watch"],
  async run(args) {
    const { access, isJson, isSet, word } = parseManageCall(args, ID, FLAGS);
    await finish(access, word, isJson, isSet("watch"));
  },
};

/** Starts a release of an earlier version. */
export const rollBack: Command = {
  words: "<endpoint> <version>",
  about: `
Begins a new release that starts workers as that version did. The template is
not changed. With --watch the exit code is 1 if the release was stopped.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay releases roll-back chat 3 --watch"],
  async run(args) {
    const call = parseManageCall(args, [ID, "version to roll back to"], FLAGS);
    const [endpoint = "", version = ""] = call.words;
    const path = `/v1/endpoints/${endpointInPath(endpoint)}/releases`;
    const body = { version: wholeNumber("the version", version) };
    const release = await callServer<ReleaseAnswer>(call.access, path, '{"version":', body);
    if (call.isSet("watch")) await finish(call.access, endpoint, call.isJson, true);
    else printTable(call.isJson, release, [release], COLUMNS, "");
  },
};

/** Pauses a release. */
export const pauseRelease = pausing({
  isPaused: true,
  about: `
Pauses the newest release of an endpoint, or that of --version: no more workers
are replaced, and both versions run until you resume it.
`,
  example: "forebay releases pause chat",
});

/** Resumes a release. */
export const resumeRelease = pausing({
  isPaused: false,
  about: `
Resumes the newest release of an endpoint, or that of --version. With --start an
endpoint without workers starts one now, without a job.
`,
  example: "forebay releases resume chat --version 4",
});

interface Pausing extends Pick<Command, "about"> {
  readonly isPaused: boolean;
  readonly example: string;
}

function pausing({ isPaused, about, example }: Pausing): Command {
  const flags: Flags = isPaused ? VERSION : { ...VERSION, ...START };
  return {
    words: "<endpoint>",
    about,
    flags: { ...flags, ...CLIENT_FLAGS },
    examples: [example],
    async run(args) {
      const { access, integer, isJson, isSet, word } = parseManageCall(args, ID, flags);
      const path = `/v1/endpoints/${endpointInPath(word)}/releases`;
      const version = integer("version") ?? (await newestOf(access, path));
      const body = { isPaused, ...(isSet("start") ? { startsNow: true } : {}) };
      const release = await callServer<ReleaseAnswer>(
        access,
        `${path}/${version}`,
        '{"version":',
        body,
        "PATCH",
      );
      printTable(isJson, release, [release], COLUMNS, "");
    },
  };
}

/** Throws CommandFault if there is none. */
async function newestOf(access: ServerAccess, path: string): Promise<number> {
  const { releases } = await callServer<ReleasesAnswer>(access, path, '{"releases":');
  const [newest] = releases;
  if (newest !== undefined) return newest.version;
  throw new CommandFault("the endpoint has no releases, because Forebay starts no workers for it.");
}

async function finish(
  access: ServerAccess,
  endpoint: string,
  isJson: boolean,
  isWatched: boolean,
): Promise<void> {
  const path = `/v1/endpoints/${endpointInPath(endpoint)}`;
  const ask = async (): Promise<Pick<ReleasesAnswer, "releases">> => ({
    releases: await listAll(access, `${path}/releases`, "releases"),
  });
  if (isWatched) {
    const again = `forebay releases list ${shellWord(endpoint)} --watch`;
    const goOn = `The release continues. To watch it again: ${again}`;
    await watchUntil(goOn, async () => {
      const [newest] = (await ask()).releases;
      if (newest?.state !== "ROLLING" && newest?.state !== "PAUSED") return undefined;
      return `version ${newest.version} ${newest.state}: ${await workersText(access, path, newest.version)}`;
    });
  }
  const answer = await ask();
  if (isWatched && answer.releases[0]?.state === "STOPPED") process.exitCode = 1;
  printTable(
    isJson,
    answer,
    answer.releases,
    COLUMNS,
    "no releases: Forebay starts no workers for this endpoint",
  );
}

/** How many of the workers have the version. */
async function workersText(access: ServerAccess, path: string, version: number): Promise<string> {
  const workers = await listAll(access, `${path}/workers`, "workers");
  return `${workers.filter((worker) => worker.version === version).length} of ${workers.length} workers`;
}
