import type { JobState } from "../domain/transitions.ts";
import type { Seen, Shown } from "./steps.ts";

/** What the stores have of a job that a worker holds. */
interface HeldRow {
  readonly id: string;
  readonly state: JobState;
  readonly taken_at: number | null;
  readonly lease_ends_at: number | null;
}

type Verdict = "proved" | "denied" | undefined;

/** What a call says of each job of its worker; of some it says nothing. */
export function shownBy(
  { shown, deniableBefore }: Pick<Seen, "shown" | "deniableBefore">,
  held: readonly HeldRow[],
): (row: HeldRow) => Verdict {
  const denies = ({ taken_at: takenAt }: HeldRow): Verdict =>
    takenAt !== null && takenAt <= deniableBefore ? "denied" : undefined;
  switch (shown.kind) {
    case "nothing":
      return () => undefined;
    case "all":
      // Of several it may have lost any.
      return ({ lease_ends_at: lease }) => (held.length === 1 && lease !== null ? "proved" : undefined);
    case "none":
      // Such a worker asks for jobs in one loop: what it was handed before this call, it was handed before
      // it set out (decision 0033).
      return (row) => (row.lease_ends_at === null ? "denied" : denies(row));
    case "these": {
      const ids = new Set(shown.ids);
      return (row) => (ids.has(row.id) ? "proved" : denies(row));
    }
  }
}

/** Says of a ping that it lists no stray job. */
export const NO_STRAY = "";

/** A job that the worker lists and does not run: of several the oldest, by its id. */
export function strayOf(shown: Shown, held: readonly HeldRow[]): string | undefined {
  if (shown.kind !== "these") return undefined;
  const running = new Set(held.filter(({ state }) => state === "IN_PROGRESS").map(({ id }) => id));
  let oldest: string | undefined;
  for (const id of shown.ids) if (!running.has(id) && (oldest === undefined || id < oldest)) oldest = id;
  return oldest;
}
