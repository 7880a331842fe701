import type { Template } from "../domain/template.ts";

/**
 * Where workers run. Orders and answers are plain data, and workers are named by the id of their token alone,
 * so that a provider whose workers outlive the server knows them again after its restart.
 */
export interface Provider {
  /** Workers run on when the server stops, and `list` has them at its next start; or they end with it. */
  readonly outlivesServer: boolean;
  /** Why no worker can be made from this template, in one sentence; undefined when it can. */
  refusal(template: Template): string | undefined;
  /** Resolves when the worker runs. Throws StartFault; nothing of the worker is left then. */
  start(order: WorkerOrder): Promise<void>;
  /**
   * Asks the worker to end (SIGTERM), and ends it by force when `grace` ms are over. Resolves when nothing of
   * it is left, at once for a worker that does not run.
   */
  stop(worker: string, grace: number): Promise<void>;
  /** Ids of the workers that run, whichever server started them. */
  list(): Promise<readonly string[]>;
  /** Called once for each worker that ran and does so no longer, whoever ended it. */
  onExit(listener: (exit: WorkerExit) => void): void;
}

export interface WorkerOrder {
  /** Never used twice. Whatever is made for the worker carries it. */
  readonly worker: string;
  readonly template: Template;
  /** With what the worker finds its endpoint; goes before the template's variables of the same names. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface WorkerExit {
  readonly worker: string;
  /** How it ended, such as `exit code 1`. */
  readonly how: string;
}

/** A worker could not be started; the message is one sentence for the operator. */
export class StartFault extends Error {}
