import { OperatorFault } from "../domain/operator-fault.ts";

/** What one release did to the schema. Counts are of migrations, from the first one on. */
export interface SchemaRelease {
  readonly version: string;
  readonly sqlite: number;
  readonly postgres: number;
  /**
   * How many migrations a server must know to work on a PostgreSQL with those of this release. Servers of the
   * release before go on working: it may not be more than what they know.
   */
  readonly serves: number;
}

/**
 * Every release, the oldest first; the last one is this. A release only adds to the schema (expand), so that
 * `serves` stays what it was. To remove something (contract), wait until the release before no longer uses
 * it, and raise `serves` to the migrations of that release. docs/upgrade.md has the rule, and
 * test/upgrade/schema-releases.test.ts holds this table to it.
 */
export const SCHEMA_RELEASES: readonly [SchemaRelease, ...SchemaRelease[]] = [
  { version: "0.1.0", sqlite: 8, postgres: 8, serves: 8 },
  // A server of 0.1.0 that runs goes on; one that starts could not read payloads with digests.
  { version: "0.2.0", sqlite: 13, postgres: 11, serves: 10 },
];

/** The release that brought the migration with this number, counted from 1. */
export function releaseOf(store: "sqlite" | "postgres", migration: number): SchemaRelease {
  const found = SCHEMA_RELEASES.find((release) => release[store] >= migration);
  if (found === undefined) throw new Error(`no release has the migration ${migration} of ${store}`);
  return found;
}

/** Data with more migrations than this server can work with: what it says of it, and what to do. */
export function newerData(schema: number, requires: string | undefined): { says: string; mend: string } {
  const written = requires === undefined ? "a newer Forebay" : `Forebay ${requires} or later`;
  const needed = requires === undefined ? "that version" : `Forebay ${requires} or newer`;
  return {
    says: `This data was written by ${written} (schema ${schema}).`,
    mend: `Start ${needed}, or restore a backup made before the upgrade.`,
  };
}

/** Why the server does not open it. */
export function newerDataError(schema: number, requires: string | undefined): OperatorFault {
  const { says, mend } = newerData(schema, requires);
  return new OperatorFault(`${says} ${mend}`);
}
