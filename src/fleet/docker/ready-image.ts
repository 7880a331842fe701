import { z } from "zod";
import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import type { RegistryLogin } from "../provider.ts";
import { type DockerEngine, EngineFault } from "./docker-engine.ts";
import { loginHeaders, refusedLogin, taggedName } from "./registry.ts";
import { pullImage } from "./pull-image.ts";

/** An image on the engine. */
export interface ReadyImage {
  /** The engine's id of exactly this image. A tag could name another one a moment later. */
  readonly id: string;
  /** The digest under which it was pulled, after the name; undefined if it was built here. */
  readonly digest: string | undefined;
  /** The image's default command. */
  readonly command: readonly string[];
  /** How long the pull took, ms; undefined if the image was already there. */
  readonly pullMs?: number | undefined;
}

interface PresentImage extends ReadyImage {
  /** It was once pulled with a login. */
  readonly isPrivate: boolean;
}

/** The repository name that marks images pulled with a login. The tag is the id of the image. */
const PRIVATE = "forebay.invalid/pulled-with-login";

/** How long the engine may take to say whether it has an image, ms. */
const LOOK_PATIENCE = 2_000;

const IMAGE = z.object({
  Id: z.string(),
  RepoDigests: z.array(z.string()).nullish(),
  RepoTags: z.array(z.string()).nullish(),
  Config: z.object({ Cmd: z.array(z.string()).nullish() }).nullish(),
});

/**
 * Brings images onto the engine. If an image is not on the host, it is pulled once and all waiting workers
 * use it. With a login it is always pulled. An image that was once pulled with a login is pulled for
 * everyone: nobody may run a private image by its name alone (decision 0024).
 */
export class ReadyImages {
  readonly #engine: DockerEngine;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #pulls = new Map<string, Promise<void>>();

  constructor(engine: DockerEngine, clock: Clock, log: Log) {
    this.#engine = engine;
    this.#clock = clock;
    this.#log = log;
  }

  /** Whether the image is on the host; false if the engine does not say so in time. */
  async isThere(name: string): Promise<boolean> {
    try {
      return (await this.#present(name, LOOK_PATIENCE)) !== undefined;
    } catch (error) {
      if (!(error instanceof EngineFault)) throw error;
      return false;
    }
  }

  /** Throws EngineFault with what the registry or the engine says. */
  async ready(name: string, login: RegistryLogin | undefined): Promise<ReadyImage> {
    const found = login === undefined ? await this.#present(name) : undefined;
    if (found?.isPrivate === false) return found;
    const pullsSince = this.#clock.now();
    await this.#pull(name, login);
    const pullMs = this.#clock.now() - pullsSince;
    const pulled = await this.#present(name);
    if (pulled === undefined) throw new EngineFault(`image ${name} was removed again`, 404);
    this.#log.info("an image is ready", { image: name, digest: pulled.digest });
    return { ...pulled, pullMs };
  }

  #pull(name: string, login: RegistryLogin | undefined): Promise<void> {
    const key = JSON.stringify([name, login]);
    const underWay = this.#pulls.get(key) ?? this.#pullNow(name, login);
    this.#pulls.set(key, underWay);
    return underWay.finally(() => this.#pulls.delete(key));
  }

  async #pullNow(name: string, login: RegistryLogin | undefined): Promise<void> {
    const pull = { engine: this.#engine, clock: this.#clock, log: this.#log, name, login };
    try {
      if (name.includes("@") && (await this.#present(name))?.isPrivate === true) {
        await this.#askRegistry(name, login);
      }
      await pullImage(pull);
    } catch (error) {
      throw login !== undefined && error instanceof EngineFault ? refusedLogin(error, login) : error;
    }
    if (login !== undefined) await this.#markPrivate(name);
  }

  /** Checks the login for a digest that is on the host: Docker would use it without asking the registry. */
  async #askRegistry(name: string, login: RegistryLogin | undefined): Promise<void> {
    const path = `/distribution/${encodeURI(name)}/json`;
    try {
      await this.#engine.send({ method: "GET", path, headers: loginHeaders(login) });
    } catch (error) {
      // podman has no such call, and asks the registry at each pull.
      if (!(error instanceof EngineFault && error.status === 404 && error.isBare)) throw error;
    }
  }

  async #markPrivate(name: string): Promise<void> {
    const image = await this.#present(name);
    if (image === undefined || image.isPrivate) return;
    const query = { repo: PRIVATE, tag: image.id.replace("sha256:", "") };
    await this.#engine.send({ method: "POST", path: `/images/${image.id}/tag`, query });
  }

  /** Undefined if the image is not on the host. */
  async #present(name: string, patience?: number): Promise<PresentImage | undefined> {
    const path = `/images/${encodeURI(taggedName(name))}/json`;
    try {
      const call = { method: "GET", path, ...(patience && { patience }) } as const;
      const { Id, RepoDigests, RepoTags, Config } = await this.#engine.call(call, IMAGE);
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
}

/** An image can have been pulled under several names. Each may need another login. */
function digestAmong(digests: readonly string[], name: string): string | undefined {
  const repository = name.replace(/@.*$/, "").replace(/:[^/]*$/, "");
  // The engine leaves out the default registry and `library/`.
  const short = repository.replace(/^(?:index\.)?docker\.io\/(?:library\/)?/, "");
  return digests.find((digest) => [repository, short].includes(digest.split("@")[0] ?? ""));
}
