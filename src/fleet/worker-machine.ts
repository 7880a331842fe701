/** What a worker has of its machine. */
export interface WorkerMachine {
  /** The name of its place: of the machine, or of its container. */
  readonly hostname: string;
  /** As many as it may use. */
  readonly cores: number;
  /** The most that it may use, bytes. */
  readonly memory: number;
}

const GB = 1_073_741_824;

/**
 * What programs may want to know of their machine, by the names of the hosted platform. Whole numbers:
 * fractions of cores are rounded up, those of memory down, and less than 1 GB of memory is not told.
 */
export function machineVariables({ hostname, cores, memory }: WorkerMachine): Record<string, string> {
  const gigabytes = Math.floor(memory / GB);
  return {
    RUNPOD_POD_HOSTNAME: hostname,
    RUNPOD_CPU_COUNT: String(Math.ceil(cores)),
    ...(gigabytes > 0 ? { RUNPOD_MEM_GB: String(gigabytes) } : {}),
  };
}

/** How many cores a worker may use, by the operator's setting (0: any) and its endpoint; undefined: all. */
export function coresAtMost(setting: number, ofEndpoint: number | undefined): number | undefined {
  return setting === 0 ? ofEndpoint : Math.min(setting, ofEndpoint ?? Infinity);
}

/** How a worker ended that was killed at its limit of memory, MB. */
export function outOfMemory(limit: number): string {
  return `out of memory: used its limit of ${limit} MB`;
}
