import { useState } from "preact/hooks";
import { api } from "../api.ts";
import type { Endpoint, Health, Session } from "../answers.ts";
import { Badge } from "../parts/badge.tsx";
import { ErrorNote, Loading } from "../parts/note.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { to } from "../parts/route.ts";
import { usePolled } from "../parts/use-polled.ts";
import { countText } from "../parts/when.tsx";
import { may } from "../shell/app.tsx";
import { FirstRun } from "./first-run.tsx";
import { OpenEndpoint } from "./open-endpoint.tsx";

/** How often the figures are read, ms. */
const EVERY = 2_000;

interface Row {
  readonly endpoint: Endpoint;
  readonly health: Health;
}

/** All endpoints of the account, with how it is with each now. */
export function OverviewPage({ session }: { session: Session }) {
  if (!may(session, "manage") || session.endpoints !== undefined) return <OpenEndpoint session={session} />;
  return <Overview />;
}

function Overview() {
  const [isFirstRun, setFirstRun] = useState<boolean>();
  const { value: rows, error, reload } = usePolled("overview", EVERY, readRows);
  if (rows === undefined) {
    return (
      <>
        <PageHead title="Endpoints" />
        <ErrorNote error={error} retry={reload} />
        {error === undefined ? <Loading /> : null}
      </>
    );
  }
  const isNew = isFirstRun ?? (rows.length <= 1 && rows.every(({ health }) => sumOf(health) === 0));
  // Its answer stays in sight when the first job has come.
  if (isFirstRun === undefined) setFirstRun(isNew);
  if (isNew) return <FirstRun endpoint={rows[0]?.endpoint} leave={() => setFirstRun(false)} />;
  return (
    <>
      <PageHead title="Endpoints">
        <a class="button first" href={to("endpoints", "new")}>
          New endpoint
        </a>
      </PageHead>
      <div class="stack">
        <ErrorNote error={error} retry={reload} />
        <Tiles rows={rows} />
        <div class="card scroll">
          <Table rows={rows} />
        </div>
      </div>
    </>
  );
}

async function readRows(signal: AbortSignal): Promise<Row[]> {
  const endpoints = await api.endpoints(signal);
  return Promise.all(
    endpoints.map(async (endpoint) => ({ endpoint, health: await api.health(endpoint.id, signal) })),
  );
}

function sumOf({ jobs }: Health): number {
  return jobs.completed + jobs.failed + jobs.inProgress + jobs.inQueue;
}

function Tiles({ rows }: { rows: readonly Row[] }) {
  const sum = (of: (health: Health) => number): string =>
    countText(rows.reduce((total, { health }) => total + of(health), 0));
  const tiles = [
    ["Waiting", sum(({ jobs }) => jobs.inQueue)],
    ["Running", sum(({ jobs }) => jobs.inProgress)],
    ["Completed", sum(({ jobs }) => jobs.completed)],
    ["Failed", sum(({ jobs }) => jobs.failed)],
    ["Workers", sum(({ workers }) => workers.running + workers.idle)],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name} class="card tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Table({ rows }: { rows: readonly Row[] }) {
  return (
    <table>
      <caption class="unseen">Endpoints</caption>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">Workers</th>
          <th scope="col" class="number">
            Waiting
          </th>
          <th scope="col" class="number">
            Running
          </th>
          <th scope="col" class="number">
            Completed
          </th>
          <th scope="col" class="number">
            Failed
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ endpoint, health: { jobs, workers } }) => (
          <tr key={endpoint.id}>
            <th scope="row">
              <a href={to("endpoints", endpoint.id)}>{endpoint.name}</a>
            </th>
            <td>
              <EndpointState endpoint={endpoint} workers={workers} />
            </td>
            <td class="number">{countText(jobs.inQueue)}</td>
            <td class="number">{countText(jobs.inProgress)}</td>
            <td class="number">{countText(jobs.completed)}</td>
            <td class="number">{countText(jobs.failed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function EndpointState({ endpoint, workers }: { endpoint: Endpoint; workers: Health["workers"] }) {
  const { fleet, isPaused } = endpoint;
  const live = workers.running + workers.idle;
  const state = isPaused ? "PAUSED" : (fleet?.state ?? (live > 0 ? "RUNNING" : "IDLE"));
  return (
    <>
      <Badge state={state} /> <small class="soft">{live === 1 ? "1 worker" : `${live} workers`}</small>
      {fleet?.reason === undefined ? null : <small class="soft reason">{fleet.reason}</small>}
    </>
  );
}
