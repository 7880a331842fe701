/** A mutant that changes nothing anybody could observe. */
export interface Equivalent {
  readonly file: string;
  /** As the table of survivors shows it. */
  readonly change: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [];
