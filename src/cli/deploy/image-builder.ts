import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { dockerEngine, EngineFault } from "../../fleet/docker/docker-engine.ts";
import { engineAddress } from "../../fleet/docker/engine-address.ts";
import { systemClock } from "../../host/system-clock.ts";
import { CommandFault } from "../command-fault.ts";

/** The program that builds images on the engine that runs the server's containers. */
export interface ImageBuilder {
  /** The program, and the arguments before its command. */
  readonly words: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The engine, in words for people. */
  readonly engine: string;
}

/**
 * The builder for the engine of the flag, of FOREBAY_DOCKER_HOST, of DOCKER_HOST, or for the local engine.
 * Throws CommandFault if there is none.
 */
export async function imageBuilder(flag: string | undefined): Promise<ImageBuilder> {
  const own = flag ?? process.env["FOREBAY_DOCKER_HOST"] ?? "";
  const host = own === "" ? (process.env["DOCKER_HOST"] ?? "") : own;
  const tls = own === "" ? "" : (process.env["FOREBAY_DOCKER_TLS"] ?? "");
  const hasPodman = isInstalled("podman");
  if (hasPodman && (!isInstalled("docker") || (await isPodman(host, tls)))) {
    const remote = host === "" ? [] : ["--url", host];
    return { words: ["podman", ...remote], env: process.env, engine: host === "" ? "podman" : host };
  }
  if (isInstalled("docker")) {
    return { words: ["docker"], env: dockerEnvironment(own, tls), engine: host === "" ? "Docker" : host };
  }
  throw new CommandFault(
    "neither docker nor podman is installed here. Install one, or deploy an image that exists: " +
      "--image <image>.",
  );
}

/** Without a host, the docker command uses its own context. */
function dockerEnvironment(host: string, tls: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // Attestations contain the time of the build, so the same files would get another digest each time.
    BUILDX_NO_DEFAULT_ATTESTATIONS: "1",
    ...(host === "" ? {} : { DOCKER_HOST: host }),
    ...(tls === "" ? {} : { DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: tls }),
  };
}

/** The docker command cannot build with every engine that speaks its API. */
async function isPodman(host: string, tls: string): Promise<boolean> {
  if (!/^(?:unix|tcp):/.test(host)) return false;
  try {
    const engine = dockerEngine(await engineAddress(host, tls), systemClock());
    const answer = await engine.open({ method: "GET", path: "/_ping" });
    answer.resume();
    return answer.headers["libpod-api-version"] !== undefined;
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    throw new CommandFault(
      `the engine at ${host} does not answer: ${error.message}. Start it, or name another one: ` +
        "--docker-host <address>.",
    );
  }
}

function isInstalled(program: string): boolean {
  const places = (process.env["PATH"] ?? "").split(delimiter).filter((place) => place !== "");
  return places.some((place) => existsSync(join(place, program)));
}
