import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Timeline } from "../../answers.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { attempt, say } from "../../parts/toast.tsx";
import { JobCode } from "./job-code.tsx";
import { RunAgain } from "./run-again.tsx";

interface JobActionsProperties {
  readonly endpoint: string;
  readonly timeline: Timeline;
  readonly changed: () => void;
}

/** Retry, run again, code, and cancel. */
export function JobActions({ endpoint, timeline: { id, status }, changed }: JobActionsProperties) {
  const [opened, setOpened] = useState<"run-again" | "code" | "cancel">();
  const close = (): void => setOpened(undefined);

  async function retry(): Promise<void> {
    await api.retry(endpoint, id);
    say("The job is back in the queue.");
    changed();
  }

  return (
    <>
      {status === "FAILED" || status === "TIMED_OUT" ? (
        <button type="button" class="first" onClick={() => void attempt(retry)}>
          Retry
        </button>
      ) : null}
      <button type="button" onClick={() => setOpened("run-again")}>
        Run again
      </button>
      <button type="button" onClick={() => setOpened("code")}>
        Code
      </button>
      {status === "IN_QUEUE" || status === "IN_PROGRESS" ? (
        <button type="button" class="danger" onClick={() => setOpened("cancel")}>
          Cancel
        </button>
      ) : null}
      {opened === "run-again" ? <RunAgain endpoint={endpoint} job={id} close={close} /> : null}
      {opened === "code" ? <JobCode endpoint={endpoint} job={id} close={close} /> : null}
      {opened === "cancel" ? (
        <Confirm
          title={`Cancel job ${id}?`}
          verb="Cancel job"
          close={close}
          act={async () => {
            await api.cancel(endpoint, id);
            say("The job is cancelled.");
            changed();
          }}
        >
          <p>The job ends now, and its worker stops running it.</p>
        </Confirm>
      ) : null}
    </>
  );
}
