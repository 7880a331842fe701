import type { WorkerView } from "../../domain/worker.ts";
import { endpointWorkers } from "../../engine/endpoint-workers.ts";
import type { StoredRelease } from "../../engine/records/record-bodies.ts";
import { endpointOperation } from "../account-operation.ts";
import { dateText } from "../answers/members.ts";
import {
  presentV2Worker,
  summaryOf,
  V2_RELEASES,
  V2_WORKERS,
  type V2ReleaseAnswer,
  type V2ReleasesAnswer,
  type V2WorkersAnswer,
} from "../answers/v2-worker.ts";
import { jsonValue } from "../reply.ts";

const listWorkers = endpointOperation({
  id: "listWorkersV2",
  method: "GET",
  path: "/v2/serverless/{endpoint}/workers",
  access: "manage",
  tag: "managementV2",
  summary: "List the workers",
  answers: { 200: { description: "The workers.", json: V2_WORKERS } },
  async handle({ engine }, _call, { endpoint: { id } }) {
    const { configuration, clock } = engine;
    const releases = configuration.releases(id);
    const newest = releases[0]?.number;
    const now = clock.now();
    const workers = (await endpointWorkers(engine, id)).map((worker) => {
      const image = releases.find(({ number }) => number === worker.version)?.imageName;
      return presentV2Worker(worker, { token: configuration.get("worker", worker.id), image, newest, now });
    });
    const answer = { workers, summary: summaryOf(workers), endpointVersion: newest ?? null };
    return jsonValue(answer satisfies V2WorkersAnswer);
  },
});

const listReleases = endpointOperation({
  id: "listReleasesV2",
  method: "GET",
  path: "/v2/serverless/{endpoint}/releases",
  access: "manage",
  tag: "managementV2",
  summary: "List the releases",
  description: "The newest first, and how far the newest one has come.",
  answers: { 200: { description: "The releases.", json: V2_RELEASES } },
  async handle({ engine }, _call, { endpoint: { id } }) {
    const releases = engine.configuration.releases(id);
    const workers = (await endpointWorkers(engine, id)).filter(({ managed }) => managed);
    const answer = {
      endpointVersion: releases[0]?.number ?? null,
      rollout: rolloutOf(workers, releases[0]?.number),
      releases: releases.map((release, index) => shown(release, releases[index + 1], workers)),
    };
    return jsonValue(answer satisfies V2ReleasesAnswer);
  },
});

/** Workers and releases in the shapes of the public API v2. */
export const V2_WORKER_OPERATIONS = [listWorkers, listReleases] as const;

function rolloutOf(workers: readonly WorkerView[], newest: number | undefined): V2ReleasesAnswer["rollout"] {
  const onLatest = workers.filter(({ version }) => version === newest).length;
  const total = workers.length;
  return {
    inProgress: onLatest < total,
    workersOnLatest: onLatest,
    workersTotal: total,
    percentOnLatest: total === 0 ? 0 : Math.floor((100 * onLatest) / total),
  };
}

function shown(
  release: StoredRelease,
  before: StoredRelease | undefined,
  workers: readonly WorkerView[],
): V2ReleaseAnswer {
  return {
    id: release.id,
    version: release.number,
    source: "MANUAL",
    buildId: null,
    createdByUserId: null,
    workerCount: workers.filter(({ version }) => version === release.number).length,
    createdAt: dateText(release.createdAt),
    diff: before === undefined ? [] : differences(before, release),
  };
}

function differences(before: StoredRelease, after: StoredRelease): V2ReleaseAnswer["diff"] {
  return MEMBERS.flatMap(([member, field]) => {
    const [old, changed] = [before[member] ?? null, after[member] ?? null];
    const isSame = JSON.stringify(old) === JSON.stringify(changed);
    return isSame ? [] : [{ field, old, new: changed }];
  });
}

/** Members of a release, each with the name that v2 has for it. Variables are secrets, and left out. */
const MEMBERS = [
  ["imageName", "template.imageName"],
  ["dockerEntrypoint", "template.dockerEntrypoint"],
  ["dockerStartCmd", "template.dockerArgs"],
  ["ports", "template.ports"],
  ["containerDiskInGb", "template.containerDiskInGb"],
  ["volumeInGb", "template.volumeInGb"],
  ["volumeMountPath", "template.volumeMountPath"],
  ["containerRegistryAuthId", "template.containerRegistryAuthId"],
  ["gpus", "gpu"],
  ["cores", "vcpuCount"],
  ["shmSizeInMb", "shmSizeInMb"],
  ["hostLabel", "hostLabel"],
] as const satisfies readonly (readonly [keyof StoredRelease, string])[];
