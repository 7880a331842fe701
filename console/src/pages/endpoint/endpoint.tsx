import { useState } from "preact/hooks";
import type { Endpoint, Health, Session } from "../../answers.ts";
import { api } from "../../api.ts";
import { Badge } from "../../parts/badge.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Guard } from "../../parts/guard.tsx";
import { filtersIn } from "../../parts/job-filters.ts";
import { may } from "../../parts/may.ts";
import { ErrorNote, Loading } from "../../parts/note.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { goTo, to } from "../../parts/route.ts";
import { attempt, say } from "../../parts/toast.tsx";
import { usePolled } from "../../parts/use-polled.ts";
import { WaitNote } from "../../parts/wait-note.tsx";
import { countText } from "../../parts/when.tsx";
import { JobList } from "../jobs/job-list.tsx";
import { RunningOperations } from "../jobs/running-operations.tsx";
import { FiguresTab } from "./figures-tab.tsx";
import { ReleasesTab } from "./releases-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";
import { WorkersTab } from "./workers-tab.tsx";

/** How often the record of the endpoint is read, ms. */
const EVERY = 2_000;

const TABS = [
  { id: "figures", name: "Figures", isForManagers: false },
  { id: "jobs", name: "Jobs", isForManagers: false },
  { id: "workers", name: "Workers", isForManagers: true },
  { id: "releases", name: "Releases", isForManagers: true },
  { id: "webhooks", name: "Webhooks", isForManagers: false },
  { id: "settings", name: "Settings", isForManagers: true },
] as const;

/** Whether an endpoint has a tab of this name. */
export function isTab(name: string): boolean {
  return TABS.some(({ id }) => id === name);
}

interface EndpointPageProperties {
  readonly session: Session;
  readonly id: string;
  readonly tab: string;
  /** Of the address: what narrows the list of jobs. */
  readonly query: URLSearchParams;
}

/** One endpoint: its jobs, workers, releases, webhooks and settings. */
export function EndpointPage({ session, id, tab, query }: EndpointPageProperties) {
  const isManager = may(session, "manage");
  // A key that may not read the record works with the id.
  const { value, error, reload } = usePolled(id, EVERY, async (signal) => ({
    record: isManager ? await api.endpoint(id, signal) : undefined,
    health: await api.health(id, signal),
    waits: (await api.statistics(id, "15m", signal)).now.waits,
  }));
  if (value === undefined) {
    return (
      <>
        <PageHead title={id} from={FROM} />
        <ErrorNote error={error} retry={reload} />
        {error === undefined ? <Loading /> : null}
      </>
    );
  }
  const { record, health, waits } = value;
  const state = record?.isPaused ? "PAUSED" : record?.fleet?.state;
  return (
    <>
      <PageHead
        title={record?.name ?? id}
        from={FROM}
        about={
          <>
            <code>{record?.id ?? id}</code> {state === undefined ? null : <Badge state={state} />}
          </>
        }
      >
        <EndpointActions
          session={session}
          id={id}
          record={record}
          waiting={health.jobs.inQueue}
          reload={reload}
        />
      </PageHead>
      <div class="stack">
        <ErrorNote error={error} retry={reload} />
        <Guard what="The state of the workers">
          <WaitNote reason={waits} />
          {waits === undefined && record?.fleet?.reason !== undefined ? (
            <FleetNote fleet={record.fleet} />
          ) : null}
        </Guard>
        <Guard what="The counts">
          <EndpointFigures health={health} />
        </Guard>
        <Tabs session={session} id={id} tab={tab} query={query} record={record} changed={reload} />
      </div>
    </>
  );
}

const FROM = { name: "Endpoints", href: "#/" };

interface TabsProperties extends EndpointPageProperties {
  readonly record: Endpoint | undefined;
  readonly changed: () => void;
}

function Tabs({ session, id, tab, query, record, changed }: TabsProperties) {
  const isManager = may(session, "manage");
  return (
    <div>
      <nav class="tabs" aria-label="Endpoint">
        {TABS.filter(({ isForManagers }) => isManager || !isForManagers).map(({ id: tabId, name }) => (
          <a key={tabId} href={to("endpoints", id, tabId)} aria-current={tabId === tab ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <Guard key={tab} what="This tab">
        {tab === "figures" ? <FiguresTab endpoint={id} hasReleases={isManager} /> : null}
        {tab === "jobs" ? (
          <>
            <JobList session={session} place={{ endpoint: id, filters: filtersIn(query) }} />
            <RunningOperations session={session} />
          </>
        ) : null}
        {tab === "workers" && isManager ? <WorkersTab endpoint={id} /> : null}
        {tab === "releases" && isManager && record !== undefined ? <ReleasesTab endpoint={record} /> : null}
        {tab === "webhooks" ? <WebhooksTab session={session} endpoint={id} /> : null}
        {tab === "settings" && record !== undefined ? (
          <SettingsTab endpoint={record} changed={changed} />
        ) : null}
      </Guard>
    </div>
  );
}

function FleetNote({ fleet }: { fleet: NonNullable<Endpoint["fleet"]> }) {
  const { reason, lastExit } = fleet;
  return (
    <div class="note warn">
      <div>
        <p>{reason}</p>
        {lastExit === undefined || lastExit.lastLines.length === 0 ? null : (
          <details>
            <summary>Logs of the last worker</summary>
            <pre>{lastExit.lastLines.join("\n")}</pre>
          </details>
        )}
      </div>
    </div>
  );
}

interface ActionsProperties {
  readonly session: Session;
  readonly id: string;
  readonly record: Endpoint | undefined;
  readonly waiting: number;
  readonly reload: () => void;
}

function EndpointActions({ session, id, record, waiting, reload }: ActionsProperties) {
  const [asked, setAsked] = useState<"purge" | "delete">();
  const close = (): void => setAsked(undefined);
  const name = record?.name ?? id;

  async function pause(isPaused: boolean): Promise<void> {
    await api.updateEndpoint(id, { isPaused });
    say(isPaused ? "Paused: jobs wait." : "Jobs are handed out again.");
    reload();
  }

  return (
    <>
      {may(session, "write") ? (
        <>
          <a class="button first" href={to("run", id)}>
            Run a request
          </a>
          <button type="button" class="danger" onClick={() => setAsked("purge")}>
            Purge
          </button>
        </>
      ) : null}
      {record === undefined ? null : (
        <>
          <button type="button" onClick={() => void attempt(() => pause(!record.isPaused))}>
            {record.isPaused ? "Go on" : "Pause"}
          </button>
          <button type="button" class="danger" onClick={() => setAsked("delete")}>
            Delete
          </button>
        </>
      )}
      {asked === "purge" ? (
        <PurgeQueue id={id} name={name} waiting={waiting} close={close} purged={reload} />
      ) : null}
      {asked === "delete" ? <DeleteEndpoint id={id} name={name} close={close} /> : null}
    </>
  );
}

interface ConfirmedProperties {
  readonly id: string;
  readonly name: string;
  readonly close: () => void;
}

function PurgeQueue({
  id,
  name,
  waiting,
  close,
  purged,
}: ConfirmedProperties & { readonly waiting: number; readonly purged: () => void }) {
  async function purge(): Promise<void> {
    const { removed } = await api.purge(id);
    say(removed === 1 ? "1 job is removed." : `${countText(removed)} jobs are removed.`);
    purged();
  }
  return (
    <Confirm title={`Purge the queue of ${name}?`} verb="Remove waiting jobs" close={close} act={purge}>
      <p>
        {countText(waiting)} jobs are waiting. This removes all waiting jobs and their records. Running jobs
        continue.
      </p>
    </Confirm>
  );
}

function DeleteEndpoint({ id, name, close }: ConfirmedProperties) {
  async function remove(): Promise<void> {
    await api.deleteEndpoint(id);
    say(`${name} is deleted.`);
    goTo();
  }
  return (
    <Confirm
      title={`Delete the endpoint ${name}?`}
      verb="Delete endpoint"
      typed={name}
      close={close}
      act={remove}
    >
      <p>This removes its waiting jobs, lets running jobs end and stops its workers. You cannot undo this.</p>
    </Confirm>
  );
}

/** The counts of jobs and workers now. */
function EndpointFigures({ health: { jobs, workers } }: { health: Health }) {
  const live = workers.running + workers.idle;
  const figures = [
    { name: "Waiting", value: countText(jobs.inQueue) },
    { name: "Running", value: countText(jobs.inProgress) },
    { name: "Completed", value: countText(jobs.completed) },
    { name: "Failed", value: countText(jobs.failed) },
    { name: "Queued again", value: countText(jobs.retried) },
    { name: "Workers", value: countText(live), more: `${workers.running} at work` },
  ];
  return (
    <dl class="tiles">
      {figures.map(({ name, value, more }) => (
        <div key={name} class="card tile">
          <dt>{name}</dt>
          <dd>
            {value} {more === undefined ? null : <small class="soft">{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
