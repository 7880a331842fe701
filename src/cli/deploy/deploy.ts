import { visibleText } from "../../domain/visible-text.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { printJson } from "../terminal/print.ts";
import { printMessage } from "../terminal/terminal-text.ts";
import { applyPlan, deployedAs } from "./apply-plan.ts";
import { buildImage } from "./build-image.ts";
import { DEPLOY_FLAGS, deployWish, type DeployPlan } from "./deploy-flags.ts";
import { type WatchedRelease, watchRelease } from "./watch-release.ts";

/** Builds an image, deploys it to an endpoint, and waits until its workers run. */
export const deploy: Command = {
  words: "[directory]",
  about: `
Builds the Dockerfile of a directory (default: the current one), or uses an
existing image, and creates or updates the endpoint of that name and its
template. Then it starts a worker, waits until the release is complete, and
prints a call to try. Run it again to deploy a change: it changes only what
differs. If the workers do not start, it prints their last lines and exits with
code 1.

Docker or podman builds on the engine from which the server starts containers.
If that is another machine, name it with --docker-host, or push the image to a
registry and use --image. The variables of --env replace those of the last
time; without the flag they stay.
`,
  flags: { ...DEPLOY_FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay deploy --name chat",
    "forebay deploy ./chat --name chat --gpus 1 --env @.env",
    "forebay deploy --image ghcr.io/team/chat:1.2 --name chat --min 1 --max 5",
  ],
  async run(args) {
    const plan = await deployWish(args);
    const say = (sentence: string): void => (plan.isJson ? undefined : printMessage(sentence));
    // Reports a wrong key or address before a build that takes minutes.
    await deployedAs(plan.access, plan.name);
    const { image, engine } = await imageOf(plan, say);
    const template = { ...plan.template, imageName: image };
    const applied = await applyPlan(plan.access, plan.name, { template, endpoint: plan.endpoint });
    for (const sentence of applied.done) say(sentence);
    const isUnchanged = applied.done.length === 0;
    const goOn = "The release continues. Run the same command again to wait for it.";
    const { access } = plan;
    const { endpoint, beginsRelease } = applied;
    const watched = await watchRelease({ access, endpoint, isOld: !beginsRelease, goOn, say });
    if (watched.failure !== undefined) process.exitCode = 1;
    if (plan.isJson) printJson({ ...answerOf(plan, endpoint.id, image, watched), changes: applied.done });
    else if (watched.failure === undefined) printReady(plan, watched.version, isUnchanged);
    else printFailure(watched, engine);
  },
};

async function imageOf(
  { name, from, dockerHost, isJson }: DeployPlan,
  say: (sentence: string) => void,
): Promise<{ readonly image: string; readonly engine: string | undefined }> {
  if ("image" in from) return { image: from.image, engine: undefined };
  return buildImage({ name, directory: from.directory, dockerHost, isShown: !isJson, say });
}

function answerOf({ name, access }: DeployPlan, id: string, image: string, watched: WatchedRelease): object {
  const { version, failure } = watched;
  const state = failure === undefined ? "COMPLETE" : "STOPPED";
  return { id, name, image, version, state, url: urlOf(access.server, name), lastExit: failure };
}

/** By name, which stays the same if the endpoint is created again. */
function urlOf(server: string, name: string): string {
  return `${server}/v2/${encodeURIComponent(name)}`;
}

function printReady({ name, access }: DeployPlan, version: number, isUnchanged: boolean): void {
  if (isUnchanged) console.log("Nothing changed.");
  console.log(`${name} is ready, version ${version}. Try it:

  curl -s ${urlOf(access.server, name)}/runsync \\
    -H "Authorization: Bearer $FOREBAY_KEY" \\
    -d '{"input": {"name": "world"}}'
`);
  if ((process.env["FOREBAY_KEY"] ?? "") === "") console.log("Set FOREBAY_KEY to your API key first.");
}

function printFailure({ version, failure }: WatchedRelease, engine: string | undefined): void {
  const lines = failure?.lastLines ?? [];
  if (lines.length > 0) printMessage(`Last output of the worker:\n${lines.map(indented).join("\n")}`);
  printMessage(`forebay deploy: workers of version ${version} do not start: ${failure?.how}`);
  if (engine === undefined || !isMissingImage(failure?.how ?? "")) return;
  printMessage(
    `The image was built on ${engine}. If the server starts containers on another engine, name that with ` +
      "--docker-host, or push the image to a registry and use --image.",
  );
}

function indented(line: string): string {
  return `  ${visibleText(line)}`;
}

/** The server has asked a registry for it. */
function isMissingImage(how: string): boolean {
  return /localhost|no such image|pull access denied|not found/i.test(how);
}
