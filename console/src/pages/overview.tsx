import { useState } from "preact/hooks";
import { allStatisticsPath, api } from "../api.ts";
import type { AllStatistics, Endpoint, EndpointFigures, Period, Session } from "../answers.ts";
import { Badge } from "../parts/badge.tsx";
import { Command } from "../parts/copy.tsx";
import { Guard } from "../parts/guard.tsx";
import { Empty, ErrorNote, Loading } from "../parts/note.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { LENGTHS, PeriodChoice } from "../parts/choices.tsx";
import { countText, failureText, percentilesText, rateText, spanText } from "../parts/when.tsx";
import { to } from "../parts/route.ts";
import { useEvents } from "../parts/use-events.ts";
import { usePolled } from "../parts/use-polled.ts";
import { may } from "../parts/may.ts";
import { FirstRun } from "./first-run.tsx";

/** How often the records are read, which say why jobs wait, ms. */
const EVERY = 5_000;

/** All endpoints that the key may use, with their current states. */
export function OverviewPage({ session }: { session: Session }) {
  const [isFirstRun, setFirstRun] = useState<boolean>();
  const isManager = may(session, "manage") && session.endpoints === undefined;
  // Whether the server has had any job.
  const { value, error, reload } = usePolled("month", 0, (signal) => api.allStatistics("30d", signal));
  const newEndpoint = isManager ? (
    <a class="button first" href={to("endpoints", "new")}>
      New endpoint
    </a>
  ) : null;
  if (value === undefined) {
    return (
      <>
        <PageHead title="Endpoints" />
        <ErrorNote error={error} retry={reload} />
        {error === undefined ? <Loading /> : null}
      </>
    );
  }
  const isNew = isManager && (isFirstRun ?? isUntouched(value));
  // The first answer stays visible after the first job has arrived.
  if (isFirstRun === undefined) setFirstRun(isNew);
  if (isNew) return <FirstRun endpoint={value.endpoints[0]} leave={() => setFirstRun(false)} />;
  return (
    <>
      <PageHead title="Endpoints">{newEndpoint}</PageHead>
      <Overview isManager={isManager} />
    </>
  );
}

function isUntouched({ endpoints }: AllStatistics): boolean {
  const isQuiet = ({ now, total }: EndpointFigures): boolean =>
    now.inQueue + now.inProgress + total.submitted + total.taken === 0;
  return endpoints.length <= 1 && endpoints.every(isQuiet);
}

function Overview({ isManager }: { isManager: boolean }) {
  const [period, setPeriod] = useState<Period>("15m");
  const [pushed, setPushed] = useState<AllStatistics>();
  const error = useEvents(allStatisticsPath(period), "statistics", (data) => setPushed(JSON.parse(data)));
  const records = usePolled("records", isManager ? EVERY : 0, (signal) =>
    isManager ? api.endpoints(signal) : Promise.resolve([]),
  );
  const byId = new Map(records.value?.map((record) => [record.id, record]));
  // Statistics of another period are not shown under the name of this one.
  const all = pushed?.period === period ? byName(pushed.endpoints) : undefined;
  return (
    <div class="stack">
      <ErrorNote error={error ?? records.error} />
      <Guard what="The sums">
        <Tiles all={all ?? []} period={period} />
      </Guard>
      <div class="pager">
        <h2 id="all">All endpoints</h2>
        <PeriodChoice period={period} choose={setPeriod} />
      </div>
      <div class="card scroll kept">
        {all === undefined ? <Loading /> : null}
        {all?.length === 0 ? <Empty title="This key has access to no endpoint" /> : null}
        {all === undefined || all.length === 0 ? null : (
          <Guard what="The list of endpoints">
            <Table all={all} records={byId} period={period} />
          </Guard>
        )}
      </div>
    </div>
  );
}

function byName(endpoints: readonly EndpointFigures[]): EndpointFigures[] {
  return endpoints.toSorted((a, b) => a.name.localeCompare(b.name));
}

function Tiles({ all, period }: { all: readonly EndpointFigures[]; period: Period }) {
  const sum = (of: (figures: EndpointFigures) => number): number =>
    all.reduce((total, figures) => total + of(figures), 0);
  const completed = sum(({ total }) => total.completed);
  const failed = sum(({ total }) => total.failed + total.timedOut);
  const joined = all[0] === undefined ? undefined : { ...all[0].total, completed, failed, timedOut: 0 };
  const tiles = [
    { name: "Waiting", value: countText(sum(({ now }) => now.inQueue)) },
    { name: "Running", value: countText(sum(({ now }) => now.inProgress)) },
    { name: "Workers", value: countText(sum(({ now: { workers } }) => workers.running + workers.idle)) },
    { name: "Ended", value: joined === undefined ? "–" : rateText(joined, LENGTHS[period]) },
    { name: "Failed", value: joined === undefined ? "–" : failureText(joined) },
  ];
  return (
    <dl class="tiles">
      {tiles.map(({ name, value }) => (
        <div key={name} class="card tile">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface TableProperties {
  readonly all: readonly EndpointFigures[];
  readonly records: ReadonlyMap<string, Endpoint>;
  readonly period: Period;
}

const COLUMNS = ["Waiting", "Running", "Ended", "Failed", "Delay p50 / p95", "Execution p50 / p95"];

function Table({ all, records, period }: TableProperties) {
  return (
    <table>
      <caption class="unseen">Endpoints</caption>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">State</th>
          {COLUMNS.map((name) => (
            <th key={name} scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {all.map((figures) => (
          <EndpointRows
            key={figures.endpointId}
            figures={figures}
            record={records.get(figures.endpointId)}
            period={period}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowsProperties {
  readonly figures: EndpointFigures;
  readonly record: Endpoint | undefined;
  readonly period: Period;
}

/** A row, and beneath it why the jobs of the endpoint wait or would wait. */
function EndpointRows({ figures: { endpointId, name, now, total }, record, period }: RowsProperties) {
  const { waits } = now;
  const reason = waits?.message ?? record?.fleet?.reason;
  return (
    <>
      <tr class={reason === undefined ? undefined : "explained"}>
        <th scope="row">
          <a href={to("endpoints", endpointId)}>{name}</a>
        </th>
        <td>
          <EndpointState record={record} now={now} />
        </td>
        <td class="number">
          {countText(now.inQueue)}
          {now.oldestMs === undefined ? null : (
            <small class="soft beneath">oldest {spanText(now.oldestMs)}</small>
          )}
        </td>
        <td class="number">{countText(now.inProgress)}</td>
        <td class="number">{rateText(total, LENGTHS[period])}</td>
        <td class="number">{failureText(total)}</td>
        <td class="number">{percentilesText(total.delay)}</td>
        <td class="number">{percentilesText(total.execution)}</td>
      </tr>
      {reason === undefined ? null : (
        <tr class="why">
          <td colSpan={COLUMNS.length + 2}>
            <div>
              <small class="soft">{reason}</small>
              {waits?.command === undefined ? null : (
                <Command label="Suggested command" text={waits.command} />
              )}
            </div>
          </td>
        </tr>
      )}
    </>
  );
}

interface StateProperties {
  readonly record: Endpoint | undefined;
  readonly now: EndpointFigures["now"];
}

function EndpointState({ record, now: { workers } }: StateProperties) {
  const live = workers.running + workers.idle;
  const byWorkers = live > 0 ? "RUNNING" : "IDLE";
  const state = record?.isPaused ? "PAUSED" : (record?.fleet?.state ?? byWorkers);
  return (
    <>
      <Badge state={state} />
      <small class="soft beneath">{live === 1 ? "1 worker" : `${countText(live)} workers`}</small>
    </>
  );
}
