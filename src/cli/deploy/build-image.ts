import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { visibleText } from "../../domain/visible-text.ts";
import { CommandFault } from "../command-fault.ts";
import { type ImageBuilder, imageBuilder } from "./image-builder.ts";

export interface BuiltImage {
  readonly image: string;
  /** The engine that has the image. */
  readonly engine: string;
}

interface BuildWish {
  readonly name: string;
  readonly directory: string;
  readonly dockerHost: string | undefined;
  /** Shows the output of the build while it runs; otherwise only if the build fails. */
  readonly isShown: boolean;
  readonly say: (sentence: string) => void;
}

/** Files that a user might expect Forebay to run. */
const HANDLERS = ["handler.py", "handler.ts", "handler.js", "handler.mjs", "worker.py", "main.py"];

/** How many characters of the image's id its tag has. */
const TAG_LENGTH = 16;

/**
 * Builds the Dockerfile of the directory. The tag comes from the content: another image gets another name,
 * and the same image the same. Throws CommandFault.
 */
export async function buildImage(plan: BuildWish): Promise<BuiltImage> {
  const { name, directory, dockerHost, isShown, say } = plan;
  requireDockerfile(directory, name);
  const builder = await imageBuilder(dockerHost);
  say(`Building the image of ${directory}.`);
  const place = await mkdtemp(join(tmpdir(), "forebay-build-"));
  try {
    const idFile = join(place, "id");
    await run(builder, ["build", "--iidfile", idFile, directory], isShown);
    const id = (await readFile(idFile, "utf8")).trim();
    const image = `localhost/${repositoryOf(name)}:${id.replace("sha256:", "").slice(0, TAG_LENGTH)}`;
    await run(builder, ["tag", id, image], false);
    say(`Built ${image}.`);
    return { image, engine: builder.engine };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

function requireDockerfile(directory: string, name: string): void {
  if (["Dockerfile", "Containerfile"].some((file) => existsSync(join(directory, file)))) return;
  const handler = HANDLERS.find((file) => existsSync(join(directory, file)));
  const path = handler === undefined ? undefined : join(directory, handler);
  const program = handler?.endsWith(".py") === true ? "python3" : "npx tsx";
  throw new CommandFault(
    `${join(directory, "Dockerfile")} is missing. It describes how to build an image of the directory. ` +
      (path === undefined
        ? "Write one, or deploy an image that exists: --image <image>."
        : `Write one (docs/deploy-a-worker.md has one to copy), or run the handler here without an image: ` +
          `forebay worker --endpoint ${name} --create -- ${program} ${path}`),
  );
}

/** The name of an endpoint can have characters that an image name cannot. */
function repositoryOf(name: string): string {
  const legal = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return legal.replaceAll(/^-|-$/g, "").slice(0, 100) || "worker";
}

function run({ words, env }: ImageBuilder, args: readonly string[], isShown: boolean): Promise<void> {
  const [program = "", ...before] = words;
  const output = isShown ? "inherit" : "pipe";
  // The output of the build goes to the standard error: it is not the answer of this command.
  const child = spawn(program, [...before, ...args], {
    env,
    stdio: ["ignore", isShown ? 2 : "pipe", output],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (piece: string) => (printed += piece));
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) return resolve();
      const how = code === null ? `signal ${signal}` : `exit code ${code}`;
      const said = isShown ? "Its output is above." : visibleText(printed.trim());
      reject(new CommandFault(`${program} ${args[0]} failed (${how}). ${said}`));
    });
  });
}
