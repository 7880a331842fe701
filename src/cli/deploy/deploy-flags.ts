import { statSync } from "node:fs";
import type { Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { type ManageCall, MORE, parseManageCall } from "../manage/manage-call.ts";
import { bodyOf, count, list, type Members, text, time, words } from "../manage/members.ts";
import { givenEnvironment } from "./given-environment.ts";

/** The settings of the template and of the endpoint. */
const TEMPLATE_MEMBERS = {
  command: words("dockerStartCmd", "replaces the command of the image"),
  disk: count("containerDiskInGb", "<GB>", "the disk of a container; default: 50"),
} as const satisfies Members;

const ENDPOINT_MEMBERS = {
  gpus: count("gpuCount", "<number>", "GPUs of each worker; default: none"),
  "gpu-type": list("gpuTypeIds", "<name>", "a GPU type that workers accept, the preferred one first"),
  "host-label": text("hostLabel", "<label>", "run the workers only on hosts with this label"),
  min: count("workersMin", "<number>", "minimum workers, kept running without jobs; default: 0"),
  max: count("workersMax", "<number>", "maximum workers that Forebay starts; default: 3"),
  "idle-timeout": time("idleTimeout", "how long a worker runs without a job; default: 5s", 1_000),
} as const satisfies Members;

const OWN_FLAGS = {
  name: { type: "string", value: "<name>", help: "the name of the endpoint and of its template" },
  image: { type: "string", value: "<image>", help: "an image that exists, instead of a directory" },
  env: {
    type: "string",
    multiple: true,
    value: "NAME=value",
    help:
      "an environment variable of the workers; NAME alone takes its value from this shell, @file reads " +
      "one per line. Repeatable",
  },
} as const satisfies Flags;

const BUILD_FLAGS = {
  "docker-host": {
    type: "string",
    value: "<address>",
    help: "the engine that builds; default: FOREBAY_DOCKER_HOST, DOCKER_HOST, or the local one",
  },
} as const satisfies Flags;

export const DEPLOY_FLAGS: Flags = {
  ...OWN_FLAGS,
  ...TEMPLATE_MEMBERS,
  ...ENDPOINT_MEMBERS,
  ...BUILD_FLAGS,
};

/** What to deploy. */
export interface DeployPlan extends Pick<ManageCall, "access" | "isJson"> {
  readonly name: string;
  /** An image, or a directory with a Dockerfile. */
  readonly from: { readonly image: string } | { readonly directory: string };
  readonly dockerHost: string | undefined;
  /** The members of the template and the endpoint that the flags set. */
  readonly template: Readonly<Record<string, unknown>>;
  readonly endpoint: Readonly<Record<string, unknown>>;
}

/** Throws CommandFault. */
export async function deployWish(args: string[]): Promise<DeployPlan> {
  const call = parseManageCall(args, [MORE], DEPLOY_FLAGS);
  const { access, isJson, rest, text } = call;
  const name = text("name") ?? "";
  if (name === "") throw new CommandFault("name the endpoint: --name <name>.");
  const env = await givenEnvironment(call.texts("env"));
  return {
    access,
    isJson,
    name,
    from: sourceOf(rest, text("image")),
    dockerHost: text("docker-host"),
    template: {
      ...(await bodyOf({ ...call, rest: [] }, TEMPLATE_MEMBERS)),
      ...(env === undefined ? {} : { env }),
    },
    endpoint: await bodyOf({ ...call, rest: [] }, ENDPOINT_MEMBERS),
  };
}

function sourceOf(
  [directory = ".", ...more]: readonly string[],
  image: string | undefined,
): DeployPlan["from"] {
  if (more.length > 0)
    throw new CommandFault(`give one directory only, not also ${JSON.stringify(more[0])}.`);
  if (image === undefined) return { directory: checkedDirectory(directory) };
  if (directory === ".") return { image };
  throw new CommandFault("a directory and --image both name what to deploy. Leave one out.");
}

function checkedDirectory(directory: string): string {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return directory;
  throw new CommandFault(`there is no directory ${directory}. Name the directory of the Dockerfile.`);
}
