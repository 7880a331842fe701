import type { BackupFacts } from "./manifest.ts";

/** A backup that is asked for. */
export interface BackupOrder {
  readonly facts: BackupFacts;
  /** Resolves after a few seconds: so often at least something is sent. */
  readonly pause: () => Promise<void>;
  /** Ends the backup. */
  readonly signal: AbortSignal;
}
