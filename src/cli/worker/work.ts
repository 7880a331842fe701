import type { Gate, Handler } from "@forebay/worker";

/** What runs the jobs of a worker without code. */
export interface Work {
  readonly handler: Handler;
  /** Closed while jobs cannot be run. */
  readonly gate?: Gate;
  /** Looks whether jobs can be run at all. Throws CommandFault. */
  check(): Promise<void>;
  /** Resolves when jobs can be run. Throws CommandFault when that takes too long. */
  ready(): Promise<void>;
  /** Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}
