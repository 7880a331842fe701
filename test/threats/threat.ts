import type { ShownTests } from "../support/shown-tests.ts";

/** A threat, what is done about it, and tests that show it. */
export interface Threat {
  readonly says: string;
  readonly does: string;
  readonly shown: ShownTests;
}
