import type { Gate, Handler } from "@forebay/worker";

/** Runs the jobs of a worker without code. */
export interface Work {
  readonly handler: Handler;
  /** Closed while jobs cannot run. */
  readonly gate?: Gate;
  /** Checks whether jobs can run at all. Throws CommandFault. */
  check(): Promise<void>;
  /** Resolves when jobs can run. Throws CommandFault if that takes too long. */
  ready(): Promise<void>;
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}
