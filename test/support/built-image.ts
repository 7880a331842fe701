import { spawn } from "node:child_process";
import { join } from "node:path";
import { importDebian, importNode } from "./base-images.ts";
import { DockerHost } from "./docker-host.ts";

const ROOT = join(import.meta.dir, "../..");

/** That of Debian, which brings the builder that the engine has. */
const DOCKER = "/usr/bin/docker";

/** As docs/container.md says. */
const BUILD = ["-f", "deploy/Dockerfile", "-t", "forebay", "."];

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An engine with the image `forebay`, built from this checkout by deploy/Dockerfile as it is. */
export class BuiltImage implements AsyncDisposable {
  readonly host: DockerHost;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(host: DockerHost) {
    this.host = host;
    this.#env = {
      ...process.env,
      DOCKER_HOST: host.url,
      DOCKER_BUILDKIT: "1",
      DOCKER_CONFIG: host.directory,
    };
  }

  static async build(): Promise<BuiltImage> {
    const host = await DockerHost.start();
    const image = new BuiltImage(host);
    try {
      await Promise.all([importDebian(host), importNode(host)]);
      // The engine of the tests has no network of its own.
      const network = ["--network", "host"];
      const { status, stderr } = await image.docker("build", ...network, ...BUILD);
      if (status !== 0) throw new Error(stderr);
      await image.docker("network", "create", "test");
      return image;
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  /** A command of Docker, in the root of the checkout. */
  docker(...args: string[]): Promise<Ended> {
    return this.#run(DOCKER, args);
  }

  /** docker-compose in the folder deploy; `file` is the text of the compose file. */
  compose(file: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
    return this.#run("docker-compose", ["-p", "forebay", "-f", "-", ...words], env, file);
  }

  #run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ""): Promise<Ended> {
    const cwd = program === DOCKER ? ROOT : join(ROOT, "deploy");
    const child = spawn(program, args, { cwd, env: { ...this.#env, ...env } });
    child.stdin.end(input);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (stdout += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (stderr += piece));
    return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
  }

  /** Networks would stay on this machine. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const { Id } of await this.host.containers()) await this.docker("rm", "--force", "--volumes", Id);
    await this.docker("network", "prune", "--force");
    await this.host.stop();
  }
}
