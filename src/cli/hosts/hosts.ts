import type { HostAnswer } from "../../http/answers/host.ts";
import { CLIENT_FLAGS, type Command } from "../command.ts";
import { checkedId, parseManageCall } from "../manage/manage-call.ts";
import { callServer, listAll } from "../server-call.ts";
import {
  type Column,
  green,
  printJson,
  printRecord,
  printTable,
  red,
  table,
  yellow,
} from "../terminal/print.ts";
import { widthOf } from "../terminal/terminal-text.ts";

const COLUMNS: readonly Column<HostAnswer>[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "STATE", text: stateOf, style: (host) => STYLES[stateOf(host)] },
  { title: "GPUS USED", text: gpusText },
  { title: "WORKERS", text: ({ workers }) => String(workers.length) },
  { title: "LABELS", text: ({ labels }) => labels.join(",") },
  { title: "ADDRESS", text: ({ address }) => address ?? "" },
  { title: "REASON", text: ({ away, gpuFault }) => away ?? gpuFault ?? "" },
];

type Gpu = HostAnswer["gpus"][number];

const GPU_COLUMNS: readonly Column<Gpu>[] = [
  { title: "GPU", text: ({ index }) => index?.toString() ?? "" },
  { title: "MODEL", text: ({ name }) => name ?? "" },
  { title: "STATE", text: ({ state }) => state },
  { title: "BUSY", text: ({ utilization }) => percent(utilization) },
  { title: "MEMORY USED", text: ({ memoryUsedInMb }) => megabytes(memoryUsedInMb) ?? "" },
  { title: "WORKER", text: ({ worker }) => worker?.id ?? "" },
  { title: "ENDPOINT", text: ({ worker }) => worker?.endpoint ?? "" },
  { title: "UUID", text: ({ uuid }) => uuid ?? "" },
  { title: "REASON", text: ({ reason }) => reason ?? "" },
];

const WORKER_COLUMNS: readonly Column<HostAnswer["workers"][number]>[] = [
  { title: "WORKER", text: ({ id }) => id },
  { title: "ENDPOINT", text: ({ endpoint }) => endpoint },
  { title: "GPUS", text: ({ gpus }) => String(gpus.length) },
  { title: "STARTED", text: ({ startedAt }) => startedAt ?? "" },
];

export const HOSTS_PATH = "/v1/hosts";
export const HOST_NAME = "name of the host";

/** Lists the hosts of the server. */
export const listHosts: Command = {
  about: `
Lists the hosts where workers run, and how many of their GPUs are allocated.
Requires a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay hosts list"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    const hosts = await listAll(access, HOSTS_PATH, "hosts");
    printTable(isJson, { hosts }, hosts, COLUMNS, "no host");
  },
};

/** Prints a host, its GPUs and its workers. */
export const showHost: Command = {
  words: "<host>",
  about: `
Prints a host, the worker of each of its GPUs, and the workers that run there.
Requires a key with the scope admin.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay hosts show local"],
  async run(args) {
    const { access, isJson, word } = parseManageCall(args, HOST_NAME);
    const host = await callServer<HostAnswer>(access, `${HOSTS_PATH}/${hostInPath(word)}`, '{"name":');
    if (isJson) printJson(host);
    else printHost(host);
  },
};

/** The name of a host, for a path. Throws CommandFault. */
export function hostInPath(word: string): string {
  return checkedId("a host", word, "forebay hosts list shows them.");
}

/** Prints it for people. */
export function printHost(host: HostAnswer): void {
  const { name, address, labels, cores, memoryInMb, diskFreeInMb, away, gpuFault, gpus, workers } = host;
  printRecord(false, host, {
    name,
    state: stateOf(host),
    reason: away,
    address,
    labels: labels.length === 0 ? undefined : labels.join(", "),
    cores: cores?.toString(),
    memory: megabytes(memoryInMb),
    "disk free": megabytes(diskFreeInMb),
    gpus: gpuFault ?? (gpus.length === 0 ? "none" : gpusText(host)),
    workers: String(workers.length),
  });
  const width = widthOf(process.stdout);
  if (gpus.length > 0) console.log(`\n${table(gpus, GPU_COLUMNS, width)}`);
  if (workers.length > 0) console.log(`\n${table(workers, WORKER_COLUMNS, width)}`);
}

const STYLES = { READY: green, DRAINING: yellow, AWAY: red };

function stateOf({ away, isDraining }: HostAnswer): keyof typeof STYLES {
  if (away !== undefined) return "AWAY";
  return isDraining ? "DRAINING" : "READY";
}

/** How many of its GPUs a worker has, such as `3 of 8, 1 out of use`. */
function gpusText({ gpus, gpuFault }: HostAnswer): string {
  if (gpus.length === 0) return gpuFault === undefined ? "" : "not known";
  const count = (state: Gpu["state"]): number => gpus.filter((gpu) => gpu.state === state).length;
  const failed = count("OUT_OF_USE");
  return `${count("ALLOCATED")} of ${gpus.length}${failed === 0 ? "" : `, ${failed} out of use`}`;
}

function percent(share: number | undefined): string {
  return share === undefined ? "" : `${Math.round(share * 100)} %`;
}

function megabytes(count: number | undefined): string | undefined {
  return count === undefined ? undefined : `${count} MB`;
}
