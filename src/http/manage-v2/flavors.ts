import type { HostNow } from "../../domain/host.ts";
import { CPU_FLAVOR } from "../answers/v2-endpoint.ts";
import type { CpuTypeAnswer, GpuTypeAnswer } from "../answers/v2-catalog.ts";
import { MOST_CORES } from "../manage/endpoint-schema.ts";

const MB_PER_GB = 1_024;

/**
 * What an endpoint can request of the cores of these hosts. The largest host sets the maximum; if no host has
 * a limit, it is what `vcpuCount` takes. The memory of each core is that of the largest host; 0: unknown.
 */
export function cpuFlavorOf(hosts: readonly HostNow[]): CpuTypeAnswer {
  const largest = Math.max(0, ...hosts.map(({ amounts }) => Math.floor(amounts.cores ?? 0)));
  const memoryMb = largest === 0 ? 0 : Math.max(0, ...hosts.map(({ amounts }) => amounts.memoryMb ?? 0));
  const cores = largest || MOST_CORES;
  return {
    id: CPU_FLAVOR,
    name: "Cores of the hosts",
    group: "hosts",
    vcpu: { min: 1, max: cores },
    ramGbPerVcpu: Math.round((100 * memoryMb) / MB_PER_GB / cores) / 100,
    price: { securePerVcpu: 0, serverlessPerVcpu: 0 },
  };
}

/** The models of GPUs of these hosts, by name. Each model is a pool of its own. */
export function gpuTypesOf(hosts: readonly HostNow[]): GpuTypeAnswer[] {
  const cards = hosts.flatMap(({ gpus }) => gpus);
  return [...Map.groupBy(cards, ({ name }) => name)]
    .map(([name, [first]]) => ({
      id: name,
      name,
      pool: name,
      manufacturer: manufacturerOf(name),
      memory: Math.round((first?.memoryMb ?? 0) / MB_PER_GB),
      secure: true,
      community: false,
      price: { secure: 0, community: 0, serverless: 0 },
      maxCount: { secure: mostOnOne(hosts, name), community: 0 },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function mostOnOne(hosts: readonly HostNow[], model: string): number {
  return Math.max(...hosts.map(({ gpus }) => gpus.filter(({ name }) => name === model).length));
}

function manufacturerOf(name: string): GpuTypeAnswer["manufacturer"] {
  if (/^(NVIDIA|Tesla|Quadro)/i.test(name)) return "NVIDIA";
  return /^AMD/i.test(name) ? "AMD" : "UNKNOWN";
}
