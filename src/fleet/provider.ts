import { commandNameOf, type Template } from "../domain/template.ts";

/**
 * Where workers run. Orders and answers are plain data, and workers are named by the id of their token alone,
 * so that a provider whose workers outlive the server knows them again after its restart. What a worker
 * prints goes to its WorkerOutput, line by line.
 */
export interface Provider {
  /** Stands in the records of its workers. */
  readonly name: "process" | "docker";
  /** Workers run on when the server stops, and `list` has them at its next start; or they end with it. */
  readonly outlivesServer: boolean;
  /** Why no worker can be made from this template, in one sentence; undefined when it can. */
  refusal(template: Template): string | undefined;
  /**
   * Resolves when the worker runs, which can take minutes where an image is fetched first. Throws StartFault,
   * also when `stop` came in between; nothing of the worker is left then.
   */
  start(order: WorkerOrder): Promise<StartedWorker>;
  /**
   * Asks the worker to end (SIGTERM), and ends it by force when `grace` ms are over. Resolves when nothing of
   * it is left, at once for a worker of which nothing is there.
   */
  stop(worker: string, grace: number): Promise<void>;
  /**
   * Ids of the workers of which something is there, whichever server started them. Those of this server are
   * watched from then on. Throws ProviderAway.
   */
  list(): Promise<readonly string[]>;
  /** Called once for each worker that ran here and does so no longer, whoever ended it. */
  onExit(listener: (exit: WorkerExit) => void): void;
  /** Ids of the endpoints for which something is kept beside their workers. Throws ProviderAway. */
  kept(): Promise<readonly string[]>;
  /** What is kept for the endpoint goes; while a worker of it runs nothing does. Throws ProviderAway. */
  forget(endpoint: string): Promise<void>;
  /** The server stops. Nothing is watched any more, and starts under way are given up. */
  close(): Promise<void>;
}

export interface WorkerOrder {
  /** Never used twice. Whatever is made for the worker carries it. */
  readonly worker: string;
  /** Id of the endpoint. What is kept beside the workers is one for each endpoint. */
  readonly endpoint: string;
  readonly template: Template;
  /** With what the worker finds its endpoint; goes before the template's variables of the same names. */
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined: none, whatever the category of the template. */
  readonly gpus?: { readonly count: number } | undefined;
  /** Cores at most; undefined: as many as the provider allows, which is never exceeded. */
  readonly cores?: number | undefined;
  /** For the registry of the image; undefined: without one. */
  readonly login?: RegistryLogin | undefined;
}

export interface StartedWorker {
  /** The image by the digest under which it was pulled; undefined for what was never pulled. */
  readonly pinnedImage: string | undefined;
  /** How long its image was fetched, ms; undefined where it was there. */
  readonly pullMs?: number | undefined;
}

export interface RegistryLogin {
  /** Host, and port if there is one. */
  readonly server: string;
  readonly username: string;
  readonly password: string;
}

export interface WorkerExit {
  readonly worker: string;
  /** How it ended, such as `exit code 1`. */
  readonly how: string;
  /** What it printed last, at most LAST_LINES. */
  readonly lastLines: readonly string[];
}

/** So many lines tell why a worker ended. */
export const LAST_LINES = 20;

/** A worker could not be started; the message is one sentence for the operator. */
export class StartFault extends Error {}

/** What the provider works with does not answer, and may do so again; the message is one sentence. */
export class ProviderAway extends Error {}

/** All that this server can run workers with. */
export interface Providers {
  readonly all: readonly Provider[];
  /** Undefined: the workers come by themselves. */
  of(imageName: string): Provider | undefined;
}

/** Images run on Docker where there is one, registered commands as processes (design, row 30). */
export function providersByImage(process: Provider, docker?: Provider): Providers {
  return {
    all: docker === undefined ? [process] : [process, docker],
    of: (imageName) => (commandNameOf(imageName) === undefined ? docker : process),
  };
}
