import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { LogView } from "../../parts/log-view.tsx";

interface JobLogProperties {
  readonly endpoint: string;
  readonly job: string;
  /** Undefined before the job was handed out. */
  readonly worker: string | undefined;
  /** Whether it is open from the start. */
  readonly isFailed: boolean;
}

/** What the worker of the last attempt printed while it had the job. */
export function JobLog({ endpoint, job, worker, isFailed }: JobLogProperties) {
  const [isOpen, setOpen] = useState(worker !== undefined && isFailed);
  const [isOwnOnly, setOwnOnly] = useState(true);
  return (
    <section class="card panel" aria-labelledby="logs">
      <header>
        <h2 id="logs">Logs</h2>
        <div class="actions">
          {isOpen ? (
            <label class="check">
              <input
                type="checkbox"
                checked={isOwnOnly}
                onChange={(event) => setOwnOnly(event.currentTarget.checked)}
              />
              Only this job
            </label>
          ) : null}
          <button
            type="button"
            class="small"
            disabled={worker === undefined}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? "Hide" : "Show"}
          </button>
        </div>
      </header>
      {isOpen ? (
        <div class="body">
          <LogView
            path={api.jobLog(endpoint, job)}
            label="Log of the job"
            job={isOwnOnly ? job : undefined}
          />
        </div>
      ) : null}
    </section>
  );
}
