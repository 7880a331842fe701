import type { Template } from "../domain/template.ts";
import type { GpuDevice } from "./gpu/gpu-inventory.ts";

/**
 * Runs workers. Orders and answers are plain data, and a worker is named by the id of its token alone. So a
 * provider whose workers outlive the server finds them again after a restart. The output of workers goes to
 * WorkerOutput, line by line.
 */
export interface Provider {
  /** What kind of provider it is. It is stored in the records of its workers. */
  readonly name: "process" | "docker";
  /** Whether workers keep running when the server stops, so that `list` returns them at the next start. */
  readonly outlivesServer: boolean;
  /** Why no worker can be started from this template, in one sentence; undefined if one can. */
  refusal(template: Template): string | undefined;
  /** Whether a worker of this image can start without a pull. False if that is not known within 2 s. */
  hasImage(imageName: string): Promise<boolean>;
  /**
   * Resolves when the worker runs. If an image is pulled first, that can take minutes. Throws StartFault,
   * also if `stop` is called meanwhile. Nothing of the worker is left then.
   */
  start(order: WorkerOrder): Promise<StartedWorker>;
  /**
   * Sends SIGTERM, and SIGKILL after `grace` ms. Resolves when nothing of the worker is left; at once if
   * there is nothing. Tries again as long as what it works with is away, until `close`.
   */
  stop(worker: string, grace: number): Promise<void>;
  /**
   * Ids of the workers of which something exists, whichever server started them. From then on, those of this
   * server are watched. Throws ProviderAway.
   */
  list(): Promise<readonly string[]>;
  /**
   * The UUIDs of the GPUs with which each worker was started, as `list` found them last; undefined if the
   * provider does not record them.
   */
  readonly devices?: ReadonlyMap<string, readonly string[]>;
  /** Called once for each worker that has ended, for whatever reason. */
  onExit(listener: (exit: WorkerExit) => void): void;
  /** Ids of the endpoints that have stored something besides their workers. Throws ProviderAway. */
  kept(): Promise<readonly string[]>;
  /** Deletes what is stored for the endpoint, unless a worker of it runs. Throws ProviderAway. */
  forget(endpoint: string): Promise<void>;
  /** The server stops, or the host is deleted: nothing is watched any more, and starts are aborted. */
  close(): Promise<void>;
}

export interface WorkerOrder {
  /** Never reused. Everything that is created for the worker carries it. */
  readonly worker: string;
  /** Id of the endpoint. What is stored besides the workers exists once for each endpoint. */
  readonly endpoint: string;
  readonly template: Template;
  /** The variables that connect the worker. They override the template's variables of the same names. */
  readonly environment: Readonly<Record<string, string>>;
  /** The GPUs that it has for itself, all of one model; undefined: none, whatever the template's category. */
  readonly gpus?: readonly WorkerGpu[] | undefined;
  /** The most cores; undefined: as many as the provider allows. The provider's limit is never exceeded. */
  readonly cores?: number | undefined;
  /**
   * The shared memory of a container, MB; undefined: half of its memory if it has GPUs, otherwise as much as
   * the engine gives.
   */
  readonly shmSizeInMb?: number | undefined;
  /** The login for the registry of the image; undefined: none. */
  readonly login?: RegistryLogin | undefined;
}

export type WorkerGpu = Pick<GpuDevice, "uuid" | "name">;

export interface StartedWorker {
  /** The digest under which the image was pulled; undefined if it was not pulled. */
  readonly pinnedImage: string | undefined;
  /** How long the pull took, ms; undefined if the image was already there. */
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
  /** Its last lines of output, at most LAST_LINES. */
  readonly lastLines: readonly string[];
}

/** How many last lines are kept to tell why a worker ended. */
export const LAST_LINES = 20;

/** A worker could not be started; the message is one sentence for the operator. */
export class StartFault extends Error {}

/** What the provider works with does not answer, and may do so later. The message is one sentence. */
export class ProviderAway extends Error {}
