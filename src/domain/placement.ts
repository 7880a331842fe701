export const COMPUTE_TYPES = ["GPU", "CPU"] as const;

/**
 * Where a hosted service would run the workers of an endpoint. Public clients send it and read it back; here
 * nothing depends on it (docs/decisions/0025). "None" is an empty value.
 */
export interface Placement {
  /** Set when the endpoint is made. */
  readonly computeType: (typeof COMPUTE_TYPES)[number];
  readonly dataCenterIds: readonly string[];
  readonly cpuFlavorIds: readonly string[];
  readonly instanceIds: readonly string[];
  readonly allowedCudaVersions: readonly string[];
  readonly minCudaVersion: string;
  readonly flashboot: boolean;
}

export const PLACEMENT_DEFAULTS = {
  computeType: "GPU",
  dataCenterIds: [],
  cpuFlavorIds: [],
  instanceIds: [],
  allowedCudaVersions: [],
  minCudaVersion: "",
  flashboot: false,
} as const satisfies Placement;
