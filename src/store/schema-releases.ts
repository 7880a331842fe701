import { OperatorFault } from "../domain/operator-fault.ts";

/** The migrations of one release. Counts are from the first migration on. */
export interface SchemaRelease {
  readonly version: string;
  readonly sqlite: number;
  readonly postgres: number;
  /**
   * How many migrations a server must know to work on a PostgreSQL with those of this release. Servers of the
   * release before must continue to work, so it is at most what they know.
   */
  readonly serves: number;
}

/**
 * Every release, the oldest first; the last one is the present one. A release only adds to the schema
 * (expand), so that `serves` stays the same. To remove something (contract), wait until the release before no
 * longer uses it, and raise `serves` to the migrations of that release. docs/upgrade.md has the rule, and
 * test/upgrade/schema-releases.test.ts checks this table.
 */
export const SCHEMA_RELEASES: readonly [SchemaRelease, ...SchemaRelease[]] = [
  { version: "0.1.0", sqlite: 8, postgres: 8, serves: 8 },
  // A running server of 0.1.0 continues. One that starts could not read payloads with digests.
  { version: "0.2.0", sqlite: 17, postgres: 14, serves: 10 },
];

/** The release that added the migration with this number, counted from 1. */
export function releaseOf(store: "sqlite" | "postgres", migration: number): SchemaRelease {
  const found = SCHEMA_RELEASES.find((release) => release[store] >= migration);
  if (found === undefined) throw new Error(`no release has the migration ${migration} of ${store}`);
  return found;
}

/** What to say about data with more migrations than this server knows, and what to do. */
export function newerData(schema: number, requires: string | undefined): { says: string; mend: string } {
  const written = requires === undefined ? "a newer Forebay" : `Forebay ${requires} or later`;
  const needed = requires === undefined ? "that version" : `Forebay ${requires} or newer`;
  return {
    says: `This data was written by ${written} (schema ${schema}).`,
    mend: `Start ${needed}, or restore a backup made before the upgrade.`,
  };
}

/** The error with which the server refuses such data. */
export function newerDataError(schema: number, requires: string | undefined): OperatorFault {
  const { says, mend } = newerData(schema, requires);
  return new OperatorFault(`${says} ${mend}`);
}
