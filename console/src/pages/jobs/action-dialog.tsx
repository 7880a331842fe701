import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { ActionCount, JobAction, ManyJobs } from "../../answers.ts";
import { Dialog } from "../../parts/dialog.tsx";
import type { JobListPlace } from "../../parts/job-filters.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { countText } from "../../parts/when.tsx";
import { OperationView } from "./operation-view.tsx";
import { useBegin } from "./use-begin.ts";

const TITLES: Readonly<Record<JobAction, string>> = {
  retry: "Retry jobs?",
  resubmit: "Resubmit jobs?",
  cancel: "Cancel jobs?",
};

const ABOUT: Readonly<Record<JobAction, string>> = {
  retry: "The jobs go back into the queue with the same ids.",
  resubmit: "Each job is submitted as a new job, with the same input and policy.",
  cancel: "The jobs end now, and their workers stop running them.",
};

const SKIPPED: Readonly<Record<string, string>> = {
  NOT_RETRYABLE: "have not failed",
  INPUT_NOT_KEPT: "have no input in the history",
  ALREADY_ENDED: "have ended",
  JOB_NOT_FOUND: "are no longer kept",
  ENDPOINT_NOT_FOUND: "are of a deleted endpoint",
};

interface ActionDialogProperties {
  readonly action: JobAction;
  readonly named: ManyJobs;
  readonly place: JobListPlace;
  readonly close: () => void;
  /** Called instead if the action has begun. */
  readonly closeBegun: () => void;
}

/** Counts the jobs first, acts on them when the reader agrees, and shows how far it is. */
export function ActionDialog({ action, named, place, close, closeBegun }: ActionDialogProperties) {
  // What was selected when the dialog was opened, whatever the list shows meanwhile.
  const [asked] = useState(named);
  const { begin, begun, isBusy, isLost, error } = useBegin(action, asked);
  const counted = usePolled(`count ${action}`, 0, () => api.countJobs(action, asked));
  const eligible = counted.value?.eligible ?? 0;

  if (begun !== undefined) {
    return (
      <Dialog title={TITLES[action].replace("?", "")} close={closeBegun}>
        <OperationView id={begun} place={place} close={closeBegun} />
      </Dialog>
    );
  }
  const verb = TITLES[action].replace(" jobs?", "");
  return (
    <Dialog title={TITLES[action]} close={close} isHeld={isBusy}>
      {counted.value === undefined ? (
        counted.error === undefined && <Loading />
      ) : (
        <Count action={action} count={counted.value} />
      )}
      <ErrorNote error={counted.error} retry={counted.reload} />
      <ErrorNote error={error} />
      {isLost ? <Lost /> : null}
      <div class="actions">
        <button type="button" disabled={isBusy} onClick={close}>
          {action === "cancel" ? "Back" : "Cancel"}
        </button>
        <button
          type="button"
          class={action === "cancel" ? "danger first" : "first"}
          disabled={isBusy || isLost || eligible === 0}
          onClick={() => void begin()}
        >
          {verb} {counted.value === undefined ? "" : jobsText(counted.value)}
        </button>
      </div>
    </Dialog>
  );
}

function Lost() {
  return (
    <div class="note bad" role="alert">
      <p>
        The server did not answer: it is not known whether the action began. If it did, its progress appears
        here. Look at the list of operations before you try again (<code>forebay jobs operations</code>).
      </p>
    </div>
  );
}

function Count({ action, count }: { action: JobAction; count: ActionCount }) {
  const { matches, eligible, isWhole, skipped } = count;
  const reasons = Object.entries(skipped).filter(([, number = 0]) => number > 0);
  return (
    <div class="stack close" role="status">
      <p>
        <strong>
          {isWhole ? countText(matches) : `${countText(matches)} or more`}{" "}
          {matches === 1 ? "job is" : "jobs are"} selected
          {eligible === matches ? "." : `, ${countText(eligible)} of them can be changed.`}
        </strong>
      </p>
      {reasons.length === 0 ? null : (
        <ul class="soft skipped">
          {reasons.map(([reason, number]) => (
            <li key={reason}>
              {countText(number ?? 0)} {SKIPPED[reason] ?? reason}
            </li>
          ))}
        </ul>
      )}
      <p class="soft">{ABOUT[action]}</p>
    </div>
  );
}

function jobsText({ eligible, isWhole }: ActionCount): string {
  if (!isWhole) return "all of them";
  return eligible === 1 ? "1 job" : `${countText(eligible)} jobs`;
}
