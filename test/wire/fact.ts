import type { ShownTests } from "../support/shown-tests.ts";

/** Something that public clients and workers do, what is done about it, and tests that show it. */
export interface Fact {
  readonly says: string;
  readonly does: string;
  readonly shown: ShownTests;
}
