/** How long it is known that a record was removed: longer than any server goes on with an old copy, ms. */
export const TOMBSTONE_RETENTION = 7 * 86_400_000;

/** Longer than any call takes from writing a payload to the step that names it, ms. */
export const ORPHAN_AGE = 3_600_000;
