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
          <LogView path={api.workerLog(endpoint, asked.worker)} label={`Log of worker ${asked.worker}`} />
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
          verb="Stop the worker"
          close={close}
          act={async () => {
            await api.stopWorker(endpoint, asked.worker);
            say("The worker gets no more jobs, and ends.");
            reload();
          }}
        >
          <p>It gets no more jobs and ends. Jobs that it has go out again, which is no loss of them.</p>
        </Confirm>
      ) : null}
      {asked?.what === "replace" ? (
        <Confirm
          title={`Replace worker ${asked.worker}?`}
          verb="Replace the worker"
          isDangerous={false}
          close={close}
          act={async () => {
            await api.replaceWorker(endpoint, asked.worker);
            say("The worker ends after its jobs, and a fresh one comes when it is needed.");
            reload();
          }}
        >
          <p>It ends after the jobs that it has, and a fresh one starts as soon as the endpoint wants one.</p>
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
    <Empty title="No worker is here">
      <p>
        Workers of a template start when a job comes. Without a template a worker connects by itself, for
        example in front of a model server that runs already:
      </p>
      <Command
        label="A worker in front of a model server"
        text={`forebay worker --endpoint ${endpoint} --http http://127.0.0.1:11434/v1`}
      />
      <p>Or take the environment with which any worker library connects:</p>
      <Command label="The environment of a worker" text={`forebay worker env --endpoint ${endpoint}`} />
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
        <small class="soft">{host === undefined ? "came by itself" : `${provider} on ${host}`}</small>
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
                Log<span class="unseen"> of {id}</span>
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
