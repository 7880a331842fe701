/** A build that is broken on purpose: one text of one file is replaced. */
export interface Member {
  /** A few words; `npm run zoo -- <part of a name>` runs it alone. */
  readonly name: string;
  /** The promise that the build breaks, in one sentence. */
  readonly breaks: string;
  /** The broken file, below `src`. */
  readonly file: string;
  /** The text that is replaced: it occurs exactly once, so that a member stays true when code moves. */
  readonly replace: string;
  readonly by: string;
  readonly caughtBy: Catcher;
}

/** The tests that must fail on the broken build. */
export interface Catcher {
  /** A name in test/support/suites.ts. */
  readonly suite: string;
  /** Test files of that suite. Choose the fastest that fails. */
  readonly files: readonly string[];
  /** Only tests whose full name matches this pattern, as with `bun test -t`. */
  readonly test?: string;
  /** How long a test may take on the build as it is, ms, if that is more than the zoo's usual limit. */
  readonly limit?: number;
}
