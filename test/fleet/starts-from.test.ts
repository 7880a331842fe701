import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ReleaseMembers } from "../../src/domain/release.ts";
import type { WantedGpus } from "../../src/domain/worker.ts";
import { choosePorts } from "../../src/fleet/docker/choose-ports.ts";
import { containerBody, type DockerSettings } from "../../src/fleet/docker/container-body.ts";
import { argvOf, processEnvironment } from "../../src/fleet/process/process-command.ts";
import { NO_GPUS } from "../../src/fleet/gpu/gpu-inventory.ts";
import { place, type PlaceHost } from "../../src/fleet/place.ts";
import { placeRequest } from "../../src/fleet/place-host.ts";
import type { WorkerGpu, WorkerOrder } from "../../src/fleet/provider.ts";
import { limitFiles } from "../../src/fleet/process/worker-cgroup.ts";
import { startsFrom, type StartSettings } from "../../src/fleet/starts-from.ts";
import { templateOf } from "../support/template-of.ts";

const SETTINGS: DockerSettings = {
  network: "",
  user: "",
  memory: 0,
  cpus: 0,
  pids: 100,
  capabilities: [],
  publishAddress: "127.0.0.1",
  publishPorts: { first: 20_000, last: 20_010 },
};

const IMAGES = { process: ["process/a", "process/b"], docker: ["team/a:1", "team/b:1"] } as const;

const COMMANDS = new Map([
  ["a", ["/bin/a", "--"]],
  ["b", ["/bin/b", "--"]],
]);

/** The one without labels comes first where any host will do. */
const HOSTS = [[], ["eu"], ["us"]].map((labels, at): PlaceHost => {
  const name = `host-${at}`;
  const [amounts, gpus] = [{}, NO_GPUS];
  return { name, labels, amounts, gpus, isDraining: false, away: undefined, hasImage: true };
});

const [L40S, T4] = [["NVIDIA L40S"], ["Tesla T4"]];

/** The first card that the types name, and so many as are wanted. */
function cardsFor({ count, types }: WantedGpus): WorkerGpu[] {
  const name = types?.[0] ?? "";
  return ["1", "2"].slice(0, count).map((number) => ({ uuid: `GPU-${name}-${number}`, name }));
}

type ProviderName = keyof typeof IMAGES;

/** What each field may be, the value that `base` has among them. */
function valuesOf(provider: ProviderName): {
  readonly [Name in keyof Required<ReleaseMembers>]: readonly ReleaseMembers[Name][];
} {
  return {
    imageName: IMAGES[provider],
    containerRegistryAuthId: ["", "login-1", "login-2"],
    // A process with an entrypoint is refused.
    dockerEntrypoint: provider === "process" ? [[]] : [[], ["python"], ["python", "-u"]],
    dockerStartCmd: [[], ["--small"], ["--small", "2"]],
    env: [{}, { MODEL: "small" }, { MODEL: "large" }, { MODEL: "small", MORE: "1" }],
    ports: [[], ["80/http"], ["80/tcp"], ["80/http", "22/tcp"]],
    containerDiskInGb: [0, 20, 50],
    volumeInGb: [0, 20, 50],
    volumeMountPath: ["/workspace", "/data"],
    gpus: [undefined, { count: 1, types: L40S }, { count: 2, types: L40S }, { count: 1, types: T4 }],
    cores: [undefined, 2, 4],
    shmSizeInMb: [undefined, 64, 1_024],
    hostLabel: [undefined, "eu", "us"],
  };
}

function membersOf(provider: ProviderName): fc.Arbitrary<ReleaseMembers> {
  const values = valuesOf(provider);
  return fc.record({
    imageName: fc.constantFrom(...values.imageName),
    containerRegistryAuthId: fc.constantFrom(...values.containerRegistryAuthId),
    dockerEntrypoint: fc.constantFrom(...values.dockerEntrypoint),
    dockerStartCmd: fc.constantFrom(...values.dockerStartCmd),
    env: fc.constantFrom(...values.env),
    ports: fc.constantFrom(...values.ports),
    containerDiskInGb: fc.constantFrom(...values.containerDiskInGb),
    volumeInGb: fc.constantFrom(...values.volumeInGb),
    volumeMountPath: fc.constantFrom(...values.volumeMountPath),
    gpus: fc.constantFrom(...values.gpus),
    cores: fc.constantFrom(...values.cores),
    shmSizeInMb: fc.constantFrom(...values.shmSizeInMb),
    hostLabel: fc.constantFrom(...values.hostLabel),
  });
}

/** The worker that the provider really starts: the process, or what is sent to the engine of Docker. */
function started(
  provider: ProviderName,
  members: ReleaseMembers,
  { limitsProcesses }: StartSettings,
): unknown {
  const { gpus, cores, shmSizeInMb, hostLabel, ...template } = members;
  const host = place(placeRequest([], { hostLabel }), HOSTS, []).host;
  const order: WorkerOrder = {
    worker: "w",
    endpoint: "e",
    template: templateOf(template.imageName, template),
    environment: {},
    gpus: gpus && cardsFor(gpus),
    cores,
    shmSizeInMb,
  };
  if (provider === "process") {
    const limits = limitsProcesses && limitFiles({ memoryMb: 0, cpus: 0, pids: 0 }, order.cores);
    return { argv: argvOf(order.template, COMMANDS), env: processEnvironment(order, {}), limits, host };
  }
  const ports = choosePorts(template.ports, SETTINGS.publishPorts, new Set(), () => 0);
  const image = { id: template.imageName, digest: undefined, command: [], pullMs: undefined };
  const machine = {
    deployment: "d",
    server: "s",
    memory: 1,
    cores: 16,
    limitsDisks: true,
    locksMemory: true,
  };
  const devices = order.gpus && {};
  const options = { settings: SETTINGS, ...machine, ports, devices };
  const login = template.containerRegistryAuthId;
  return { login, host, body: containerBody(order, image, options) };
}

describe.each([
  ["process", true],
  ["process", false],
  ["docker", false],
] as const)("workers of the provider %s (with limits of processes: %p)", (provider, limitsProcesses) => {
  const settings = { limitsProcesses };
  test("start from something else if, and only if, another worker is started", () => {
    const values = valuesOf(provider);
    fc.assert(
      fc.property(
        membersOf(provider),
        membersOf(provider),
        fc.constantFrom(...Object.keys(values)),
        (members, others, field) => {
          for (const changed of [others, { ...members, [field]: Reflect.get(others, field) }]) {
            const isOther = !Bun.deepEquals(
              started(provider, members, settings),
              started(provider, changed, settings),
            );
            const beginsRelease = !Bun.deepEquals(
              startsFrom(members, settings),
              startsFrom(changed, settings),
            );
            expect([field, members, changed, beginsRelease]).toEqual([field, members, changed, isOther]);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test.if(provider === "docker" || limitsProcesses)(
    "docs/releases.md says of each field whether its change begins a release",
    () => {
      const page = readFileSync(join(import.meta.dir, "../../docs/releases.md"), "utf8");
      const rows = [...page.matchAll(/^\| `(\w+)`[^|]*\| (yes|no)[^|]*\| (yes|no)[^|]*\|$/gm)];
      const told = rows.map(([, field, process, docker]) => [field, { process, docker }[provider]]);
      const found = Object.entries(MEMBERS).map(([field, member]) => [
        field,
        hasEffect(provider, member) ? "yes" : "no",
      ]);
      expect(told).toEqual(found);
    },
  );
});

/** The fields of templates and endpoints, and the member that each of them sets. */
const MEMBERS: Readonly<Record<string, keyof ReleaseMembers>> = {
  imageName: "imageName",
  dockerStartCmd: "dockerStartCmd",
  env: "env",
  containerRegistryAuthId: "containerRegistryAuthId",
  dockerEntrypoint: "dockerEntrypoint",
  ports: "ports",
  containerDiskInGb: "containerDiskInGb",
  volumeInGb: "volumeInGb",
  volumeMountPath: "volumeMountPath",
  gpuCount: "gpus",
  gpuTypeIds: "gpus",
  vcpuCount: "cores",
  shmSizeInMb: "shmSizeInMb",
  hostLabel: "hostLabel",
};

function hasEffect(provider: ProviderName, member: keyof ReleaseMembers): boolean {
  const [base] = fc.sample(membersOf(provider), 1);
  if (base === undefined) throw new Error("there is no sample");
  const all = valuesOf(provider)[member].map((value) =>
    startsFrom(
      { ...base, ...(member === "volumeMountPath" ? { volumeInGb: 20 } : {}), [member]: value },
      { limitsProcesses: true },
    ),
  );
  return all.some((each) => !Bun.deepEquals(each, all[0]));
}
