import { z } from "zod";
import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { RegistryLogin } from "../provider.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { EngineFault } from "./engine-fault.ts";
import { pullImage } from "./pull-image.ts";

/** An image that is on the engine. */
export interface ReadyImage {
  /** The engine's own name of exactly this image: a tag could point elsewhere a moment later. */
  readonly id: string;
  /** The digest under which it was pulled, with the name before it; undefined for one that was made here. */
  readonly digest: string | undefined;
  /** What it runs behind its entrypoint unless it is told otherwise. */
  readonly command: readonly string[];
}

const IMAGE = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
  Config: z.object({ Cmd: z.array(z.string()).nullish() }).nullish(),
});

/**
 * Brings images onto the engine: one that is there is used as it is, one that is not is pulled, once for
 * all that wait for it. With a login it is always pulled: nobody is to run a private image by its name alone.
 */
export function readyImages(engine: DockerEngine, clock: Clock, log: Log) {
  const pulls = new Map<string, Promise<void>>();

  /** Undefined when it is not there. */
  async function present(name: string): Promise<ReadyImage | undefined> {
    try {
      const { Id, RepoDigests, Config } = await engine.call(
        { method: "GET", path: `/images/${encodeURI(name)}/json` },
        IMAGE,
      );
      return { id: Id, digest: digestAmong(RepoDigests ?? [], name), command: Config?.Cmd ?? [] };
    } catch (error) {
      if (error instanceof EngineFault && error.status === 404) return undefined;
      throw error;
    }
  }

  function pull(name: string, login: RegistryLogin | undefined): Promise<void> {
    const key = JSON.stringify([name, login]);
    const underWay = pulls.get(key) ?? pullImage({ engine, clock, log, name, login });
    pulls.set(key, underWay);
    return underWay.finally(() => pulls.delete(key));
  }

  /** Throws EngineFault with what the registry or the engine says. */
  return async function readyImage(name: string, login: RegistryLogin | undefined): Promise<ReadyImage> {
    const found = login === undefined ? await present(name) : undefined;
    if (found !== undefined) return found;
    await pull(name, login);
    const pulled = await present(name);
    if (pulled === undefined) throw new EngineFault(`image ${name} is gone again`, 404);
    log.info("an image is ready", { image: name, digest: pulled.digest });
    return pulled;
  };
}

/** An image can have been pulled under several names: with another one it may ask for another login. */
function digestAmong(digests: readonly string[], name: string): string | undefined {
  const repository = name.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  // The engine leaves out what everybody can leave out.
  const short = repository.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, "");
  return digests.find((digest) => [repository, short].includes(digest.split("@")[0] ?? ""));
}
