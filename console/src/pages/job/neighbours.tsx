import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../../api.ts";
import type { FoundJob } from "../../answers.ts";
import { jobAddress, type JobListPlace, queryOf } from "../../parts/job-filters.ts";
import { type Neighbours as Found, neighboursOf } from "../../parts/job-lists.ts";
import { goToAddress } from "../../parts/route.ts";

/** The button that was pressed last, and the job that it opened: its page has the focus there, too. */
let pressed: { readonly job: string; readonly button: "Previous" | "Next" } | undefined;

const NONE: Found = { above: undefined, below: undefined };

/** Goes to the job above this one in the list from which it was opened, or below it. */
export function Neighbours({ place, job }: { place: JobListPlace; job: string }) {
  const [found, setFound] = useState(NONE);
  const query = queryOf(place).toString();
  useEffect(() => {
    const gone = new AbortController();
    void neighboursOf(query, job, gone.signal)
      .then(setFound)
      .catch((error: unknown) => {
        // The buttons stay disabled.
        if (!gone.signal.aborted && !(error instanceof ApiError)) throw error;
      });
    return () => gone.abort();
  }, [query, job]);
  const previous = useRef<HTMLButtonElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (found === NONE || pressed?.job !== job) return;
    const [same, other] = pressed.button === "Next" ? [next, previous] : [previous, next];
    pressed = undefined;
    // At the end of the list only the other one can be pressed.
    if (document.activeElement === document.body) (same.current?.disabled ? other : same).current?.focus();
  }, [found]);
  function open(to: FoundJob | undefined, button: "Previous" | "Next"): void {
    if (to === undefined) return;
    pressed = { job: to.id, button };
    goToAddress(jobAddress(place, { endpoint: to.endpointId, id: to.id }));
  }
  return (
    <>
      <button
        ref={previous}
        type="button"
        disabled={found.above === undefined}
        onClick={() => open(found.above, "Previous")}
      >
        Previous
      </button>
      <button
        ref={next}
        type="button"
        disabled={found.below === undefined}
        onClick={() => open(found.below, "Next")}
      >
        Next
      </button>
    </>
  );
}
