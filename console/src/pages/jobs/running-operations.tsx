import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { JobAction, JobOperations, Session } from "../../answers.ts";
import { may } from "../../parts/may.ts";
import { attempt } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { countText } from "../../parts/when.tsx";

type Operation = JobOperations["operations"][number];

/** How often the operations are read while some run, ms. */
const EVERY = 2_000;

const begun = new EventTarget();

/** Reads the operations that run again, because there can be another one. */
export function lookForOperations(): void {
  begun.dispatchEvent(new Event("begun"));
}

const VERBS: Readonly<Record<JobAction, string>> = {
  retry: "Retrying",
  resubmit: "Resubmitting",
  cancel: "Cancelling",
};

/** The actions on many jobs that run, whoever began them, at the lower edge of the page: nothing moves. */
export function RunningOperations({ session }: { session: Session }) {
  const [areThere, setThere] = useState(false);
  const { value, reload } = usePolled("operations", areThere ? EVERY : 0, async (signal) =>
    (await api.jobOperations(signal)).filter(({ state }) => state === "RUNNING"),
  );
  const running = value ?? [];
  const isSome = running.length > 0;
  useEffect(() => setThere(isSome), [isSome]);
  useEffect(() => {
    begun.addEventListener("begun", reload);
    return () => begun.removeEventListener("begun", reload);
  }, [reload]);
  if (!isSome) return null;
  return (
    <section class="card running-operations" aria-label="Actions on many jobs">
      {running.map((operation) => (
        <Running key={operation.id} operation={operation} session={session} changed={reload} />
      ))}
    </section>
  );
}

interface RunningProperties {
  readonly operation: Operation;
  readonly session: Session;
  readonly changed: () => void;
}

function Running({ operation, session, changed }: RunningProperties) {
  const { id, action, matches, done, failed, skipped } = operation;
  const over = countText(done + failed + skipped);
  return (
    <div class="actions">
      <span>
        {VERBS[action]} jobs: {over} of {countText(matches)}
      </span>
      {may(session, "write") ? (
        <button
          type="button"
          class="small"
          onClick={() => void attempt(() => api.stopJobOperation(id)).then(changed)}
        >
          Stop
        </button>
      ) : null}
    </div>
  );
}
