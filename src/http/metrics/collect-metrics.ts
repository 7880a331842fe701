import { version } from "../../../package.json" with { type: "json" };
import { lowBytes } from "../../domain/disk-space.ts";
import { emptyFigures, type Figures } from "../../domain/figures.ts";
import { countOf } from "../../domain/histogram.ts";
import { GPU_STATES, type HostGpuView } from "../../domain/host-view.ts";
import { FINE } from "../../domain/meters.ts";
import type { Engine } from "../../engine/engine.ts";
import { fleetWordsOf } from "../../engine/fleet-of.ts";
import { workersOfEach } from "../../engine/health.ts";
import { hostsOf } from "../../engine/hosts.ts";
import type { Sample } from "./exposition.ts";
import type { MetricName } from "./metric-table.ts";

/** Milliseconds of a second, and the units of a millisecond in histograms of short times. */
const MS = 1_000;
const FINE_SECOND = FINE * MS;

const MB = 1_048_576;

export type Samples = Readonly<Record<MetricName, readonly Sample[]>>;

/** The present samples of each metric. */
export async function collectMetrics(engine: Engine): Promise<Samples> {
  return {
    ...(await ofEndpoints(engine)),
    ...(await ofHosts(engine)),
    ...ofJobs(engine),
    ...ofServer(engine),
    ...(await ofDisk(engine)),
  };
}

/** Empty if the disk cannot be read, and for data in memory. */
async function ofDisk({ meters, store }: Engine) {
  const disk = meters.disk.space();
  const one = (value: number | undefined): Sample[] => (value === undefined ? [] : [{ labels: [], value }]);
  return {
    forebay_disk_free_bytes: one(disk?.free),
    forebay_disk_size_bytes: one(disk?.total),
    forebay_disk_low_bytes: one(disk && lowBytes(disk)),
    forebay_database_bytes: one(await store.size()),
  };
}

async function ofHosts(engine: Engine) {
  const hosts = await hostsOf(engine);
  const ofGpus = (value: (gpu: HostGpuView) => number | undefined): Sample[] =>
    hosts.flatMap(({ name, gpus }) => gpus.flatMap((gpu) => gpuSample(name, gpu, value(gpu))));
  return {
    forebay_host_up: hosts.map(({ name, away }) => ({ labels: [name], value: away === undefined ? 1 : 0 })),
    forebay_gpus: hosts.flatMap(({ name, gpus }) =>
      GPU_STATES.map((state): Sample => {
        const { length } = gpus.filter((gpu) => gpu.state === state);
        return { labels: [name, state.toLowerCase()], value: length };
      }),
    ),
    forebay_gpu_utilization_ratio: ofGpus(({ utilization }) => utilization),
    forebay_gpu_memory_used_bytes: ofGpus(({ memoryUsedMb }) => memoryUsedMb && memoryUsedMb * MB),
  };
}

/** None if the driver does not tell the value. */
function gpuSample(host: string, { uuid, name }: HostGpuView, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels: [host, uuid ?? "", name ?? ""], value }];
}

async function ofEndpoints(engine: Engine) {
  const { configuration, store, clock } = engine;
  const endpoints = configuration.all("endpoint").map(({ id }) => id);
  const counts = await store.allCounts();
  const fronts = await store.fronts(endpoints.filter((id) => (counts.get(id)?.queued ?? 0) > 0));
  const workers = [...(await workersOfEach(engine, endpoints))].flatMap(([id, states]) =>
    Object.entries(states).map(([state, value]): Sample => ({ labels: [id, state], value })),
  );
  const now = clock.now();
  const each = (value: (id: string) => number): Sample[] =>
    endpoints.map((id) => ({ labels: [id], value: value(id) }));
  return {
    forebay_queue_jobs: each((id) => counts.get(id)?.queued ?? 0),
    forebay_queue_oldest_seconds: each((id) => Math.max(0, now - (fronts.get(id) ?? now)) / MS),
    forebay_jobs_in_progress: each((id) => counts.get(id)?.running ?? 0),
    forebay_workers: workers,
    forebay_crash_loop: each((id) =>
      fleetWordsOf(engine, id).some(({ report }) => report?.state === "CRASH_LOOP") ? 1 : 0,
    ),
    forebay_reports_ignored_total: each((id) => counts.get(id)?.ignored ?? 0),
  };
}

/** Zeros too, so that the first change is visible as one. */
function ofJobs({ statistics, configuration }: Engine) {
  const none = emptyFigures();
  const ids = configuration.all("endpoint").map(({ id }) => id);
  const all = ids.map((id): [string, Figures] => [id, statistics.sinceStart.get(id) ?? none]);
  const each = (value: (figures: Figures) => number): Sample[] =>
    all.map(([id, figures]) => ({ labels: [id], value: value(figures) }));
  const histograms = (name: "delay" | "execution"): Sample[] =>
    all
      .filter(([, figures]) => countOf(figures[name]) > 0)
      .map(([id, figures]) => ({ labels: [id], value: { histogram: figures[name], units: MS } }));
  return {
    forebay_jobs_submitted_total: each(({ counts }) => counts.submitted),
    forebay_jobs_taken_total: each(({ counts }) => counts.taken),
    forebay_jobs_ended_total: all.flatMap(([id, { counts }]): Sample[] => [
      { labels: [id, "completed"], value: counts.completed },
      { labels: [id, "failed"], value: counts.failed },
      { labels: [id, "timed_out"], value: counts.timedOut },
      { labels: [id, "cancelled"], value: counts.cancelled },
    ]),
    forebay_jobs_retried_total: each(({ counts }) => counts.retried),
    forebay_attempts_lost_total: each(({ counts }) => counts.lost),
    forebay_job_delay_seconds: histograms("delay"),
    forebay_job_execution_seconds: histograms("execution"),
  };
}

function ofServer({ meters }: Engine) {
  const { vitals } = meters;
  const one = (value: Sample["value"]): Sample[] => [{ labels: [], value }];
  const routes = [...meters.requests].map(([path, { classes, durations }]) => {
    return { route: path === "" ? "none" : path, classes, durations };
  });
  return {
    forebay_webhook_attempts_total: samplesOf(Object.entries(meters.webhooks)),
    forebay_limits_hit_total: [...meters.limits].map(([key, value]) => ({ labels: key.split(" "), value })),
    forebay_http_requests_total: routes.flatMap(({ route, classes }) =>
      samplesOf(classes.map((count, index) => [`${index}xx`, count] as const))
        .filter(({ value }) => value !== 0)
        .map(({ labels, value }) => ({ labels: [route, ...labels], value })),
    ),
    forebay_http_request_duration_seconds: routes.map(({ route, durations: histogram }) => ({
      labels: [route],
      value: { histogram, units: FINE_SECOND },
    })),
    forebay_store_commit_seconds: one({ histogram: meters.commits, units: FINE_SECOND }),
    forebay_store_commit_steps: one({ histogram: meters.steps, units: 1 }),
    forebay_live_readers: one(meters.liveReaders),
    forebay_leader: one(meters.leads() ? 1 : 0),
    forebay_event_loop_delay_seconds: one({ histogram: vitals.loopDelays, units: FINE_SECOND }),
    forebay_uptime_seconds: one(vitals.uptime() / MS),
    forebay_build_info: [{ labels: [version, navigator.userAgent], value: 1 }],
    process_resident_memory_bytes: one(vitals.memory()),
    process_cpu_seconds_total: one(vitals.cpu() / MS),
    process_start_time_seconds: one(vitals.startedAt / MS),
  };
}

function samplesOf(entries: readonly (readonly [label: string, value: number])[]): Sample[] {
  return entries.map(([label, value]) => ({ labels: [label], value }));
}
