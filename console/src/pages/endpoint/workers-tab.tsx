import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import type { Worker } from "../../answers.ts";
import { Badge } from "../../parts/badge.tsx";
import { Command } from "../../parts/copy.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { LogView } from "../../parts/log-view.tsx";
import { Empty } from "../../parts/note.tsx";
import { ACTS, figures, TableCard } from "../../parts/table-card.tsx";
import { say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { When } from "../../parts/when.tsx";

/** ms. */
const EVERY = 2_000;

interface Asked {
  readonly what: "stop" | "replace" | "log";
  readonly worker: string;
}

/** The workers of an endpoint: their states, their logs, and how to stop or replace them. */
export function WorkersTab({ endpoint }: { endpoint: string }) {
  const { value, error, reload } = usePolled(endpoint, EVERY, (signal) => api.workers(endpoint, signal));
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  return (
    <div class="stack close">
      <TableCard
        caption="Workers"
        columns={["Worker", "State", "Version", figures("Jobs"), "Started", "Last call", ACTS]}
        rows={value?.workers}
        error={error}
        retry={reload}
        empty={<NoWorkers endpoint={endpoint} />}
      >
        {(worker) => <WorkerRow key={worker.id} worker={worker} ask={setAsked} />}
      </TableCard>
      <SilentWorkers workers={value?.workers ?? []} />
      {asked?.what === "log" ? (
        <Dialog title={`What worker ${asked.worker} prints`} isBroad close={close}>
          <LogView path={api.workerLog(endpoint, asked.worker)} label={`Logs of worker ${asked.worker}`} />
          <div class="actions">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </Dialog>
      ) : null}
      {asked?.what === "stop" ? (
        <Confirm
          title={`Stop worker ${asked.worker}?`}
          verb="Stop worker"
          close={close}
          act={async () => {
            await api.stopWorker(endpoint, asked.worker);
            say("The worker gets no more jobs and stops.");
            reload();
          }}
        >
          <p>The worker gets no more jobs and stops. Other workers run its jobs. No job is lost.</p>
        </Confirm>
      ) : null}
      {asked?.what === "replace" ? (
        <Confirm
          title={`Replace worker ${asked.worker}?`}
          verb="Replace worker"
          isDangerous={false}
          close={close}
          act={async () => {
            await api.replaceWorker(endpoint, asked.worker);
            say("The worker stops after its jobs. Forebay starts a new one if needed.");
            reload();
          }}
        >
          <p>The worker stops after its current jobs. Forebay starts a new one when needed.</p>
        </Confirm>
      ) : null}
    </div>
  );
}

/** Warns about workers that send no heartbeats: Forebay may not notice that one of them died. */
function SilentWorkers({ workers }: { workers: readonly Worker[] }) {
  const count = workers.filter(({ heartbeats }) => !heartbeats).length;
  if (count === 0) return null;
  const who = count === 1 ? "1 worker does" : `${count} workers do`;
  return (
    <div class="note warn" role="status">
      <span>
        {who} not send heartbeats. If one dies while it runs a job, that job may end only by the execution
        timeout. Set <code>RUNPOD_POD_ID</code> to a different value for each worker;{" "}
        <code>forebay worker env --many</code> shows how.
      </span>
    </div>
  );
}

function NoWorkers({ endpoint }: { endpoint: string }) {
  return (
    <Empty title="No workers">
      <p>
        With a template, workers start when a job arrives. Without one, connect a worker yourself, for example
        in front of a running model server:
      </p>
      <Command
        label="Worker in front of a model server"
        text={`forebay worker --endpoint ${endpoint} --http http://127.0.0.1:11434/v1`}
      />
      <p>Or print the environment for any worker library:</p>
      <Command label="Worker environment" text={`forebay worker env --endpoint ${endpoint}`} />
    </Empty>
  );
}

function WorkerRow({ worker, ask }: { worker: Worker; ask: (asked: Asked) => void }) {
  const { id, state, reason, version, jobs, startedAt, lastContact, heartbeats, managed, provider, host } =
    worker;
  return (
    <tr>
      <th scope="row" class="mono">
        {id}
      </th>
      <td>
        <Badge state={state} />
        {reason === undefined ? null : <small class="soft"> {reason}</small>}
        {heartbeats ? null : <small class="soft"> no heartbeats</small>}
      </td>
      <td>
        {version ?? "–"}{" "}
        <small class="soft">{host === undefined ? "started by you" : `${provider} on ${host}`}</small>
      </td>
      <td class="number">{jobs.length}</td>
      <td>
        <When at={startedAt} />
      </td>
      <td>
        <When at={lastContact} />
      </td>
      <td>
        <div class="actions">
          {managed ? (
            <>
              <button type="button" class="small" onClick={() => ask({ what: "log", worker: id })}>
                Logs<span class="unseen"> of {id}</span>
              </button>
              <button type="button" class="small" onClick={() => ask({ what: "replace", worker: id })}>
                Replace<span class="unseen"> {id}</span>
              </button>
            </>
          ) : null}
          <button type="button" class="small danger" onClick={() => ask({ what: "stop", worker: id })}>
            Stop<span class="unseen"> {id}</span>
          </button>
        </div>
      </td>
    </tr>
  );
}
