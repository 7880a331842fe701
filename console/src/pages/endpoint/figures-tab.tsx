import { useMemo, useState } from "preact/hooks";
import { api, statisticsPath } from "../../api.ts";
import type { Figures, Period, Percentiles, Statistics, StatisticsPoint } from "../../answers.ts";
import { Chart } from "../../parts/chart.tsx";
import type { AddressOf, Marker } from "../../parts/chart-options.ts";
import { Guard } from "../../parts/guard.tsx";
import { listAddress, withFilters } from "../../parts/job-filters.ts";
import { ErrorNote } from "../../parts/note.tsx";
import { LENGTHS, PeriodChoice } from "../../parts/choices.tsx";
import { countText, failureText, percentilesText, rateText, spanText } from "../../parts/when.tsx";
import { useEvents } from "../../parts/use-events.ts";
import { usePolled } from "../../parts/use-polled.ts";
import { type Pushed, type Slots, slotsOf } from "./slots.ts";

/** A pushed answer. It has only the slot that is being filled, not all slots. */
interface News extends Omit<Statistics, "points"> {
  readonly point: StatisticsPoint;
}

interface FiguresTabProperties {
  readonly endpoint: string;
  /** Whether the key may read the releases of the endpoint. */
  readonly hasReleases: boolean;
}

/** The statistics of an endpoint over time, live, with its releases. */
export function FiguresTab({ endpoint, hasReleases }: FiguresTabProperties) {
  const [period, setPeriod] = useState<Period>("15m");
  return (
    <div class="stack close">
      <div class="pager">
        <h2>Over time</h2>
        <PeriodChoice period={period} choose={setPeriod} />
      </div>
      <Charts key={period} endpoint={endpoint} period={period} hasReleases={hasReleases} />
    </div>
  );
}

/** How often all slots are read again, because the oldest expire, ms. */
const EVERY = 60_000;

interface ChartsProperties extends FiguresTabProperties {
  readonly period: Period;
}

function Charts({ endpoint, period, hasReleases }: ChartsProperties) {
  const markers = useReleases(endpoint, hasReleases);
  const read = usePolled(period, EVERY, (signal) => api.statistics(endpoint, period, signal));
  const [pushed, setPushed] = useState<Pushed>();
  const error = useEvents(statisticsPath(endpoint, period), "statistics", (data) =>
    setPushed((before) => joined(before, JSON.parse(data))),
  );
  const slots = useMemo(() => slotsOf(read.value, pushed), [read.value, pushed]);
  const total = pushed?.total ?? read.value?.total;
  const addressOf: AddressOf = ({ from, to }, line) => {
    const filters = { from: isoTime(from), to: isoTime(to + slots.step), state: line?.states ?? "" };
    return listAddress({ endpoint, filters: withFilters({}, filters) });
  };
  return (
    <>
      <ErrorNote error={read.error ?? error} retry={read.reload} />
      <Guard what="The sums">
        <Totals total={total} period={period} />
      </Guard>
      <div class="charts">
        <Guard what="This chart">
          <QueueChart slots={slots} markers={markers} />
        </Guard>
        <Guard what="This chart">
          <RateChart slots={slots} markers={markers} addressOf={addressOf} />
        </Guard>
        <Guard what="This chart">
          <TimesChart
            title="Delay until a worker takes it"
            slots={slots}
            markers={markers}
            of={({ delay }) => delay}
            total={total?.delay}
          />
        </Guard>
        <Guard what="This chart">
          <TimesChart
            title="Execution"
            slots={slots}
            markers={markers}
            of={({ execution }) => execution}
            total={total?.execution}
          />
        </Guard>
      </div>
    </>
  );
}

/** When each version of the workers was begun. */
function useReleases(endpoint: string, hasReleases: boolean): readonly Marker[] {
  const { value } = usePolled(`releases ${endpoint}`, hasReleases ? EVERY : 0, async (signal) =>
    hasReleases ? api.releases(endpoint, signal) : { releases: [] },
  );
  return useMemo(
    () =>
      value?.releases.map(({ version, createdAt }) => ({
        at: Date.parse(createdAt) / 1_000,
        name: `version ${version}`,
      })) ?? [],
    [value],
  );
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function joined(before: Pushed | undefined, { point, ...news }: News): Pushed {
  const earlier = before?.points.filter(({ at }) => at !== point.at) ?? [];
  return { ...news, points: [...earlier, point] };
}

function Totals({ total, period }: { total: Figures | undefined; period: Period }) {
  const figures = [
    ["Submitted", total === undefined ? "–" : countText(total.submitted)],
    ["Completed", total === undefined ? "–" : countText(total.completed)],
    ["Failed", total === undefined ? "–" : failureText(total)],
    ["Ended", total === undefined ? "–" : rateText(total, LENGTHS[period])],
    ["Delay p50 / p95", total === undefined ? "–" : percentilesText(total.delay)],
    ["Execution p50 / p95", total === undefined ? "–" : percentilesText(total.execution)],
  ];
  return (
    <dl class="card padded facts">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface SlotsProperties {
  readonly slots: Slots;
  readonly markers: readonly Marker[];
}

function QueueChart({ slots: { times, points }, markers }: SlotsProperties) {
  const last = points.at(-1);
  return (
    <Chart
      title="Queue"
      scale="count"
      markers={markers}
      times={times}
      text={countText}
      sentence={`${last?.inQueue ?? 0} jobs wait and ${last?.inProgress ?? 0} run.`}
      lines={[
        { name: "waiting", tone: "warn", values: points.map(({ inQueue }) => inQueue) },
        { name: "running", tone: "accent", values: points.map(({ inProgress }) => inProgress) },
      ]}
    />
  );
}

interface RateProperties extends SlotsProperties {
  readonly addressOf: AddressOf;
}

/** Jobs are found by their end, so only the chart of jobs that ended leads to them. */
function RateChart({ slots: { times, points, step }, markers, addressOf }: RateProperties) {
  const perMinute = (count: number): number => (count * 60_000) / step;
  const completed = points.map((point) => perMinute(point.completed));
  const failed = points.map((point) => perMinute(point.failed + point.timedOut));
  const most = Math.max(0, ...completed, ...failed);
  return (
    <Chart
      title="Ended per minute"
      scale="rate"
      markers={markers}
      times={times}
      text={(value) => value.toLocaleString("en-US", { maximumFractionDigits: 1 })}
      addressOf={addressOf}
      sentence={`at most ${most.toFixed(1)} jobs ended per minute.`}
      lines={[
        { name: "completed", tone: "good", values: completed, states: "COMPLETED" },
        { name: "failed", tone: "bad", values: failed, states: "FAILED,TIMED_OUT" },
      ]}
    />
  );
}

interface TimesProperties extends SlotsProperties {
  readonly title: string;
  readonly of: (point: StatisticsPoint) => Percentiles;
  readonly total: Percentiles | undefined;
}

function TimesChart({ title, slots: { times, points }, markers, of, total }: TimesProperties) {
  return (
    <Chart
      title={title}
      scale="time"
      markers={markers}
      times={times}
      text={spanText}
      sentence={total?.p50 === undefined ? "nothing yet." : `half within ${spanText(total.p50)}.`}
      lines={[
        { name: "p50", tone: "accent", values: points.map((point) => of(point).p50 ?? null) },
        { name: "p95", tone: "warn", values: points.map((point) => of(point).p95 ?? null) },
      ]}
    />
  );
}
