import { z } from "zod";
import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { RegistryLogin } from "../provider.ts";
import type { DockerEngine } from "./docker-engine.ts";
import { EngineFault } from "./engine-fault.ts";
import { taggedName } from "./image-name.ts";
import { loginHeaders } from "./login-headers.ts";
import { pullImage } from "./pull-image.ts";
import { refusedLogin } from "./refused-login.ts";

/** An image that is on the engine. */
export interface ReadyImage {
  /** The engine's own name of exactly this image: a tag could point elsewhere a moment later. */
  readonly id: string;
  /** The digest under which it was pulled, with the name before it; undefined for one that was made here. */
  readonly digest: string | undefined;
  /** What it runs behind its entrypoint unless it is told otherwise. */
  readonly command: readonly string[];
  /** How long it was fetched for this, ms; undefined when it was there. */
  readonly pullMs?: number | undefined;
}

interface PresentImage extends ReadyImage {
  /** It was once pulled with a login. */
  readonly isPrivate: boolean;
}

/** Under this name the engine has images that were pulled with a login; the tag is the id of the image. */
const PRIVATE = "forebay.invalid/pulled-with-login";

const IMAGE = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
  RepoTags: z.array(z.string()).nullish(),
  Config: z.object({ Cmd: z.array(z.string()).nullish() }).nullish(),
});

/**
 * Brings images onto the engine: one that is there is used as it is, one that is not is pulled, once for
 * all that wait for it. With a login it is always pulled, and what was once pulled with one is pulled for
 * those without one too: nobody is to run a private image by its name alone (decision 0024).
 */
export function readyImages(engine: DockerEngine, clock: Clock, log: Log) {
  const pulls = new Map<string, Promise<void>>();

  /** Undefined when it is not there. */
  async function present(name: string): Promise<PresentImage | undefined> {
    try {
      const { Id, RepoDigests, RepoTags, Config } = await engine.call(
        { method: "GET", path: `/images/${encodeURI(taggedName(name))}/json` },
        IMAGE,
      );
      return {
        id: Id,
        digest: digestAmong(RepoDigests ?? [], name),
        command: Config?.Cmd ?? [],
        isPrivate: (RepoTags ?? []).some((tag) => tag.startsWith(`${PRIVATE}:`)),
      };
    } catch (error) {
      if (error instanceof EngineFault && error.status === 404) return undefined;
      throw error;
    }
  }

  async function pullNow(name: string, login: RegistryLogin | undefined): Promise<void> {
    try {
      if (name.includes("@") && (await present(name))?.isPrivate === true) await askRegistry(name, login);
      await pullImage({ engine, clock, log, name, login });
    } catch (error) {
      throw login !== undefined && error instanceof EngineFault ? refusedLogin(error, login) : error;
    }
    if (login !== undefined) await markPrivate(name);
  }

  /** Of what Docker has, it pulls a digest without a word to the registry. */
  async function askRegistry(name: string, login: RegistryLogin | undefined): Promise<void> {
    const path = `/distribution/${encodeURI(name)}/json`;
    try {
      await engine.tell({ method: "GET", path, headers: loginHeaders(login) });
    } catch (error) {
      // podman has no such call, and asks the registry at each pull.
      if (!(error instanceof EngineFault && error.status === 404 && error.isBare)) throw error;
    }
  }

  async function markPrivate(name: string): Promise<void> {
    const image = await present(name);
    if (image === undefined || image.isPrivate) return;
    const query = { repo: PRIVATE, tag: image.id.replace("sha256:", "") };
    await engine.tell({ method: "POST", path: `/images/${image.id}/tag`, query });
  }

  function pull(name: string, login: RegistryLogin | undefined): Promise<void> {
    const key = JSON.stringify([name, login]);
    const underWay = pulls.get(key) ?? pullNow(name, login);
    pulls.set(key, underWay);
    return underWay.finally(() => pulls.delete(key));
  }

  /** Throws EngineFault with what the registry or the engine says. */
  return async function readyImage(name: string, login: RegistryLogin | undefined): Promise<ReadyImage> {
    const found = login === undefined ? await present(name) : undefined;
    if (found?.isPrivate === false) return found;
    const pullsSince = clock.now();
    await pull(name, login);
    const pullMs = clock.now() - pullsSince;
    const pulled = await present(name);
    if (pulled === undefined) throw new EngineFault(`image ${name} is gone again`, 404);
    log.info("an image is ready", { image: name, digest: pulled.digest });
    return { ...pulled, pullMs };
  };
}

/** An image can have been pulled under several names: with another one it may ask for another login. */
function digestAmong(digests: readonly string[], name: string): string | undefined {
  const repository = name.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  // The engine leaves out what everybody can leave out.
  const short = repository.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, "");
  return digests.find((digest) => [repository, short].includes(digest.split("@")[0] ?? ""));
}
